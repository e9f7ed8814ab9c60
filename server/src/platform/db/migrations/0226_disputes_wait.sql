-- What the processor tells of a dispute names nothing but what is disputed: until that is booked,
-- and says whose card it was, it waits.
alter table card_news add column waits_for text;
create index card_news_waiting on card_news (waits_for) where booked_at is null;
