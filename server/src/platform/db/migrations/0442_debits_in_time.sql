-- Since when a debit has been to come is computed by dates.ts.
drop function debit_to_come_since(uuid, uuid, integer, date, timestamptz);
