-- The sandbox register may be told that a company was struck off.
alter table sandbox_companies add column is_active boolean;
