-- Wallets: accounts that the bank keeps for borrowers, and what is repaid by their debit.

create table wallets (
  -- Also that of its row in borrower_accounts.
  id uuid primary key,
  partner_id uuid not null references partners,
  borrower_id uuid not null references borrowers,
  -- The bank's own number of it.
  account_number text not null unique,
  holder_name text not null,
  currency text not null check (currency = 'EUR'),
  metadata jsonb not null,
  created_at timestamptz not null
);
create index wallets_borrower on wallets (borrower_id, id);

-- What a debit takes the money from, as a mandate says it of a direct debit.
alter table repayment_methods add wallet_id uuid references wallets;
alter table loans add wallet_id uuid references wallets;
alter table payments
  add wallet_id uuid references wallets,
  -- What there is to tell of a payment beside why it failed.
  add reason text;
alter table repayment_methods
  add check ((payment_method = 'P2P') = (wallet_id is not null));
alter table loans add check ((repayment_method = 'P2P') = (wallet_id is not null));

do $$
declare t text;
begin
  foreach t in array array['wallets']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy partner_wall on %I
      using (may_see(partner_id)) with check (may_see(partner_id))', t);
  end loop;
end $$;

-- The sandbox bank's own book of wallets: what each holds. No table of ours refers to it.
create table sandbox_bank_wallets (
  account_number text primary key,
  partner_id uuid not null,
  holder_name text not null,
  balance bigint not null default 0 check (balance >= 0),
  created_at timestamptz not null
);
