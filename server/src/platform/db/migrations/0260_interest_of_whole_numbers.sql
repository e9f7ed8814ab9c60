-- The same rounding where the exact sum is a whole number that fits: what reports reckon for every
-- loan takes a fraction of the time.
create function interest_cents(exact bigint) returns bigint language sql immutable as $$
  select exact / 1000000 + case
    when exact % 1000000 > 500000 then 1
    when exact % 1000000 = 500000 then exact / 1000000 % 2
    else 0 end
$$;
