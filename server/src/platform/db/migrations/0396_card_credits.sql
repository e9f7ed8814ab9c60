-- Lines whose cards are in credit are looked up every morning, to give it back: there are few.
create index credit_lines_in_credit on credit_lines (id) where card_spent < 0;
