-- The buckets in which late loans are counted are data of their product, like its other thresholds.

-- The first day late of each bucket, ascending: 1 to 30 days, 31 to 60, 61 to 90, more.
alter table products add column delinquency_days integer[] not null default '{1,31,61,91}'
  check (delinquency_days[1] = 1 and cardinality(delinquency_days) between 1 and 20);
