-- What may leave: no more than the cash there is, and nothing while a switch is thrown.

-- The lender's own accounts up to the last sealed entry; the rest is added when asked.
create table ledger_sealed_balances (
  account_id uuid primary key references ledger_accounts,
  amount bigint not null
);
insert into ledger_sealed_balances (account_id, amount)
select p.account_id, sum(p.amount) from ledger_postings p
join ledger_accounts a on a.id = p.account_id and a.owner_id is null
join ledger_seals s on s.entry_id = p.entry_id group by p.account_id;

-- What the bank was told to pay and has not told of yet.
create index payments_leaving on payments (id) include (amount)
  where direction = 'OUT' and status in ('INSTRUCTED', 'IN_TRANSIT');

-- Approved loans whose payout may come too late.
create index loans_scheduled on loans (to_repay_on) where status = 'SCHEDULED';

-- Thrown by one person, lifted by another; those that were lifted are kept.
create table kill_switches (
  id uuid primary key,
  kind text not null check (kind in ('payouts', 'collections', 'partner')),
  partner_id uuid references partners check ((partner_id is not null) = (kind = 'partner')),
  reason text not null,
  thrown_by uuid not null references operators,
  thrown_at timestamptz not null,
  lifted_by uuid references operators check (lifted_by <> thrown_by),
  lifted_at timestamptz
);
create unique index kill_switches_thrown on kill_switches (kind, partner_id) nulls not distinct
  where lifted_at is null;

alter table kill_switches enable row level security;
alter table kill_switches force row level security;
create policy partner_wall on kill_switches
  using (may_see(partner_id)) with check (may_see(partner_id));
