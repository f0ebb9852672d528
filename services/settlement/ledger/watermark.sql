select upto_entry_no::float8 as upto_entry_no, upto_confirmation_no::float8 as upto_confirmation_no
from ledger_watermark()
