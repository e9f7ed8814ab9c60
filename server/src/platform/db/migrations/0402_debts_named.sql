-- What a transfer names when it names more than one thing, in the order in which it pays them. One
-- that names a single thing has it in its own column. When another collection of the same debts
-- comes back, money that was too much only beside it pays them after all.
create table payment_names (
  payment_id uuid not null references payments,
  position int not null,
  partner_id uuid not null references partners,
  kind text not null check (kind in ('installment', 'loan', 'bill')),
  named_id uuid not null,
  primary key (payment_id, position)
);
create index payment_names_named on payment_names (named_id);
alter table payment_names enable row level security;
alter table payment_names force row level security;
create policy partner_wall on payment_names
  using (may_see(partner_id)) with check (may_see(partner_id));
