-- A preview writes nothing into the closings: until its transaction ends, temporary tables hide theirs. A role that only reads may ask for one.

-- name: hideClosings
create temp table closings on commit drop as table closings;

-- name: hideTotals
create temp table closing_totals on commit drop as table closing_totals with no data;

-- name: hideAdjustments
create temp table closing_adjustments on commit drop as table closing_adjustments with no data;

-- name: hideDifferences
create temp table closing_differences on commit drop as table closing_differences with no data;

-- name: hideDifferenceSums
create temp table closing_difference_sums on commit drop as table closing_difference_sums with no data;

-- name: hideResults
create temp table closing_results on commit drop as table closing_results with no data;
