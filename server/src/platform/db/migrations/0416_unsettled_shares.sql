-- Which loans a run of partners' shares looks at: less of the mark-up, or more, was paid out than
-- is collected. After all of it was paid out, interest may go back, and the partner bears its part.
-- A column of its own: an index by what was billed would be written for every loan that is billed.
alter table loans add column share_unsettled boolean not null generated always as (
  (interest_paid > 0 or mark_up_paid_out <> 0) and case when written_off_on is null
    then mark_up_billed <> mark_up_paid_out or mark_up_accrued < mark_up_billed
      or mark_up_paid_out <> 0 and interest_paid < least(interest_billed, interest_accrued)
    else mark_up_paid_out <>
      least(mark_up_accrued - mark_up_written_off, greatest(interest_paid, 0)) end) stored;
drop index loans_shared;
drop index loans_recovered;
create index loans_unsettled_shares on loans (partner_id, id) where share_unsettled;
