-- The partner's own statement, if it is compared (D-29): some billings at a time, as they arrive.

-- name: addPartnerBillings
insert into partner_billings
select * from jsonb_populate_recordset(null::partner_billings, $1::jsonb);

-- name: analyzePartnerBillings
analyze partner_billings;
