-- Loans: the request, the money state derived from its movements, and its log.

-- Cents of an exact sum of principal × ppm × days: rounded once, half to the even one.
create function interest_cents(exact numeric) returns bigint
language sql immutable parallel safe as $$
  select (div(exact, 1000000) + case
    when mod(exact, 1000000) > 500000 then 1
    when mod(exact, 1000000) = 500000 then mod(div(exact, 1000000), 2)
    else 0 end)::bigint
$$;

-- The same rounding where the exact sum is a whole number that fits: what reports reckon for every
-- loan takes a fraction of the time.
create function interest_cents(exact bigint) returns bigint
language sql immutable parallel safe as $$
  select exact / 1000000 + case
    when exact % 1000000 > 500000 then 1
    when exact % 1000000 = 500000 then exact / 1000000 % 2
    else 0 end
$$;

-- Exactly what a part has of a sum that the whole has.
create function share_of(sum bigint, part bigint, whole bigint) returns numeric
language sql immutable parallel safe as $$ select sum::numeric * part / whole $$;

create table loans (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  credit_line_id uuid,
  product_id uuid references products,
  borrower_product_id uuid,
  caller_id uuid not null,
  loan_type text not null,
  status text not null check (status in ('SUBMITTED', 'PENDING_VALIDATION', 'TO_VALIDATE',
    'VALIDATED', 'SCHEDULED', 'INITIATED', 'TO_REPAY', 'TO_REPAY_FEES', 'CLOSED', 'DECLINED',
    'CANCELED', 'DELETED', 'ISSUE_DETECTED')),
  -- A loan without a payout is reopened by a refund that proves to be lent. Once no refund is lent
  -- any more, it is again what it was before.
  reopened_from text check (reopened_from in ('ISSUE_DETECTED', 'CANCELED', 'DELETED')),
  denial_reason text,
  amount bigint not null check (amount > 0),
  currency text not null check (currency = 'EUR'),
  rate_ppm integer not null,
  -- Fixed at approval.
  fees_payer text not null default 'BORROWER' check (fees_payer in ('BORROWER', 'PARTNER')),
  -- The borrower or the partner: `payerOf` in credit/loans/payer.ts.
  payer_id uuid not null,
  mark_up_ppm integer not null default 0,
  salt_id text,
  request_hash text not null,
  auto_validate boolean not null,
  to_pay_on date not null,
  to_repay_on date not null,
  contractual_repayment_on date not null,
  -- Set when the repayment date was put off in TO_REPAY: it may be so once.
  postponed_at timestamptz,
  loan_to jsonb not null,
  loan_to_references text[] not null,
  repayment_from_references text[] not null,
  -- Further references beside ours: of terms, and the partner's own. The latter are shown and
  -- written on debits, never matched by.
  repayment_to_references text[] not null default '{}',
  repayment_method text not null check (repayment_method in ('DIRECT_DEBIT', 'SCT', 'P2P')),
  -- What it is collected by: a mandate, or the debit of a wallet.
  mandate_id uuid,
  wallet_id uuid,
  repayment_iban text not null,
  repayment_reference text not null,
  notification_emails text[] not null,
  metadata jsonb not null,
  contract_document_id uuid,
  transfer_contract_url text,
  -- Principal this loan holds on its line: until payout, and while a debit is revocable.
  reserved bigint not null check (reserved >= 0),
  submitted_at timestamptz not null,
  -- Derived from the movements; verify recomputes.
  paid_out_on date,
  principal_outstanding bigint not null default 0 check (principal_outstanding >= 0),
  principal_repaid bigint not null default 0,
  principal_repaid_on date,
  -- What of a loan's parts is not owed. While something is owed it is the rest of them, also where
  -- a payout came back and only a refund is lent: its parts never ask for more.
  principal_covered bigint not null,
  interest_accrued bigint not null default 0,
  interest_billed bigint not null default 0,
  interest_paid bigint not null default 0,
  -- The partner's part of the interest beside, each rounded by itself.
  mark_up_accrued bigint not null default 0,
  mark_up_billed bigint not null default 0,
  mark_up_paid_out bigint not null default 0,
  -- The stops of a loan's cases, as its fold takes them: [{from_on, until_on}].
  interest_stops jsonb not null default '[]',
  -- When what of a loan bears interest last changed, or its write-off, whatever the fact was: a
  -- bill that was made before has to count it anew.
  interest_changed_at timestamptz,
  surplus bigint not null default 0,
  surplus_refunded bigint not null default 0,
  -- Cents of refunds that are principal again; verify recomputes.
  refunds_reclaimed bigint not null default 0 check (refunds_reclaimed >= 0),
  -- Once nothing else is outstanding, the day on which that became known: reminders, blocks and
  -- cases count from it, for the borrower could not know before.
  reclaimed_known_on date,
  -- The value date of the oldest unpaid refund that is principal again, once nothing else is owed;
  -- verify recomputes.
  reclaimed_on date,
  -- The day from a write-off in force, and what the fold makes of it.
  written_off_on date,
  principal_written_off bigint not null default 0,
  interest_written_off bigint not null default 0,
  -- What of the interest lost, less recovered, was to be the partner's.
  mark_up_written_off bigint not null default 0,
  principal_recovered bigint not null default 0,
  interest_recovered bigint not null default 0,
  -- Set while the installments of a plan settle it: its own debits rest.
  installment_plan_id uuid,
  -- Where the plan is contractual: the day of the oldest installment that is not paid.
  plan_due_on date,
  -- What of it is due next, and when, is computed by installments.ts whenever its money or its days
  -- change; verify recomputes it. First the day on which the loan is due as a whole.
  falls_due_on date not null,
  in_parts boolean not null default false,
  -- The day on which its oldest unpaid part falls due, and that part; null without parts.
  due_on date not null,
  due_part integer,
  -- No index looks at the columns that a bill changes: as long as the page has room, the new
  -- version of the row is written beside the old one and no index is touched.
  unbilled boolean not null generated always as (interest_billed <> interest_accrued) stored,
  -- Which loans the runs of partners' shares and of lateness look at: computed by unsettled.ts;
  -- verify recomputes both. Columns of their own: an index by what was billed would be written for
  -- every loan that is billed.
  share_unsettled boolean not null default false,
  unrecovered boolean not null default false,
  -- Set where what is kept of its movements has to be computed anew, as after an import of older
  -- rows: the next business day folds and books it, and plans what follows.
  fold_outdated boolean not null default false,
  closed_at timestamptz,
  check ((repayment_method = 'P2P') = (wallet_id is not null)),
  foreign key (partner_id, borrower_id) references borrowers,
  foreign key (partner_id, credit_line_id) references credit_lines,
  foreign key (partner_id, borrower_product_id) references borrower_products,
  foreign key (partner_id, caller_id) references callers,
  foreign key (partner_id, mandate_id) references mandates,
  foreign key (partner_id, wallet_id) references wallets
) with (fillfactor = 50);
create unique index loans_salt on loans (partner_id, salt_id) where salt_id is not null;
create index loans_borrower on loans (borrower_id, id);
create index loans_status on loans (partner_id, status, id);
create index loans_to_pay on loans (partner_id, to_pay_on, id);
create index loans_held on loans (to_pay_on) where status in
  ('PENDING_VALIDATION', 'TO_VALIDATE');
create index loans_revocable on loans (id) where reserved > 0 and paid_out_on is not null;
create index loans_undecided on loans (borrower_id) include (reserved) where status in
  ('SUBMITTED', 'PENDING_VALIDATION', 'TO_VALIDATE');
create index loans_in_plans on loans (installment_plan_id) where installment_plan_id is not null;
create index loans_due_in_plans on loans (plan_due_on) where plan_due_on is not null;
-- Approved loans whose payout may come too late.
create index loans_scheduled on loans (to_repay_on) where status = 'SCHEDULED';
-- Lists: rows of one kind in the order of the list, however rare they are.
create index loans_type on loans (partner_id, loan_type, id);
create index loans_contractual on loans (partner_id, contractual_repayment_on, id);
create index loans_postponed on loans (partner_id, id)
  where to_repay_on > contractual_repayment_on;
create index loans_unbilled on loans (borrower_id)
  where unbilled or status in ('TO_REPAY', 'TO_REPAY_FEES');
create index loans_partner_unbilled on loans (partner_id, id)
  where fees_payer = 'PARTNER' and (unbilled or status in ('TO_REPAY', 'TO_REPAY_FEES'));
create index loans_to_repay on loans (partner_id, falls_due_on, id);
create index loans_due on loans (due_on, borrower_id) where status = 'TO_REPAY';
create index loans_outdated on loans (id) where fold_outdated;
create index loans_unsettled_shares on loans (partner_id, id) where share_unsettled;
create index loans_unrecovered on loans (borrower_id) where unrecovered;
-- Last: of indexes that cost the same, as long as there is next to nothing, plans take the newest.
alter table loans add primary key (partner_id, id);
create trigger loans_kept before delete on loans
  for each statement execute function refuse_delete();

-- Every loan on invoices has an account of its own: this counts them.
create sequence loan_accounts;

-- A loan that was canceled or deleted finances no invoice, also where a refund that was lent has
-- reopened it: another loan may have been granted on that invoice meanwhile.
create function loan_finances(l loans) returns boolean language sql immutable parallel safe as $$
  select l.status not in ('DECLINED', 'CANCELED', 'DELETED')
    and (l.reopened_from is null or l.reopened_from not in ('CANCELED', 'DELETED'))
$$;

-- Facts that move a loan's money, by value date. A payout sent back or a collection returned
-- voids its movement: the loan is then what it would be had the money never moved.
create table loan_movements (
  id uuid not null,
  partner_id uuid not null references partners,
  loan_id uuid not null,
  kind text not null
    check (kind in ('PAYOUT', 'REPAYMENT', 'BILL_PAYMENT', 'EXTRA', 'CREDIT', 'REFUND')),
  payment_id uuid,
  bill_id uuid,
  card_entry_id uuid,
  -- The bill that credits: a CREDIT takes what was paid off its loan, and what is set off pays
  -- bills.
  credit_bill_id uuid,
  -- The payment that a refund sends back: what others have paid bills too much is theirs, and
  -- covers no refund.
  refunded_payment_id uuid,
  amount bigint not null check (amount > 0),
  value_on date not null,
  -- Money of the very day of a write-off repays when it was booked before that, and recovers after.
  after_write_off boolean not null default false,
  booked_at timestamptz not null,
  voided_at timestamptz,
  -- A direct debit may come back until then; its principal stays reserved on the line.
  revocable_until date,
  -- How the fold shared this money out; changes when an earlier fact becomes known.
  principal bigint not null default 0,
  interest bigint not null default 0,
  surplus bigint not null default 0,
  -- Of money that came before a payout which failed: what was sent back. It repays nothing when the
  -- loan is paid out again.
  given_back bigint not null default 0 check (given_back between 0 and amount),
  -- Of a refund that is lent: the day on which that became known. Reminders, blocks and cases count
  -- from it.
  lent_known_on date check (lent_known_on is null or kind = 'REFUND'),
  primary key (partner_id, id),
  constraint loan_movements_cause check (payment_id is not null or card_entry_id is not null
    or credit_bill_id is not null or kind = 'PAYOUT'),
  constraint loan_movements_credited check (kind <> 'CREDIT' or credit_bill_id is not null),
  constraint loan_movements_refund_names_payment
    check (kind = 'REFUND' or refunded_payment_id is null),
  foreign key (partner_id, loan_id) references loans,
  foreign key (partner_id, payment_id) references payments,
  foreign key (partner_id, refunded_payment_id) references payments
);
create index loan_movements_loan on loan_movements (loan_id);
create index loan_movements_payment on loan_movements (payment_id);
create index loan_movements_revocable on loan_movements (revocable_until)
  where revocable_until is not null and voided_at is null;
create index loan_movements_card on loan_movements (card_entry_id) where card_entry_id is not null;
create index loan_movements_credit on loan_movements (credit_bill_id)
  where credit_bill_id is not null;

-- Principal outstanding from a day on, until the next step: what interest is counted on.
create table loan_principal_steps (
  partner_id uuid not null,
  loan_id uuid not null,
  from_on date not null,
  principal bigint not null check (principal >= 0),
  primary key (partner_id, loan_id, from_on),
  foreign key (partner_id, loan_id) references loans
);

-- What falls due when, of a loan that is repaid in installments.
create table loan_installments (
  loan_id uuid not null,
  partner_id uuid not null references partners,
  position integer not null check (position > 0),
  due_on date not null,
  amount bigint not null check (amount > 0),
  -- The amounts up to and with this one: unpaid as long as less principal is repaid.
  amount_until bigint not null check (amount_until >= amount),
  primary key (partner_id, loan_id, position),
  foreign key (partner_id, loan_id) references loans
);
create index loan_installments_due on loan_installments (due_on, loan_id);

-- What a loan was to be repaid on and by, until something else was agreed.
create table loan_past_terms (
  id uuid not null,
  partner_id uuid not null references partners,
  loan_id uuid not null,
  to_repay_on date not null,
  reclaimed_on date,
  repayment_method text not null,
  until timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, loan_id) references loans
);
create index loan_past_terms_until on loan_past_terms (until, loan_id);

-- Loans that are written off: proposed by one of the lender's people, agreed to by another.
create table write_offs (
  id uuid not null,
  partner_id uuid not null references partners,
  loan_id uuid not null,
  -- Accrual ends there; money valued later is recovery.
  written_off_on date not null,
  reason text not null check (reason <> ''),
  status text not null check (status in ('PROPOSED', 'IN_FORCE', 'REJECTED', 'ENDED')),
  proposed_by uuid not null references operators,
  approved_by uuid references operators,
  proposed_at timestamptz not null,
  in_force_at timestamptz,
  primary key (partner_id, id),
  check (approved_by <> proposed_by),
  check (status not in ('IN_FORCE', 'ENDED') or approved_by is not null),
  foreign key (partner_id, loan_id) references loans
);
create unique index write_offs_open on write_offs (partner_id, loan_id)
  where status in ('PROPOSED', 'IN_FORCE');
create index write_offs_proposed on write_offs (id) where status = 'PROPOSED';

-- Loans that are late by now, and what was done about it.
create table late_loans (
  loan_id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  -- The day from which its days late are counted; another one is another lateness.
  late_from date not null,
  -- The last of the days of reminders that a mail went out for; 0 before the first.
  reminded_day integer not null default 0,
  -- Whether recollection was told.
  case_told boolean not null default false,
  noted_at timestamptz not null,
  primary key (partner_id, loan_id),
  foreign key (partner_id, loan_id) references loans,
  foreign key (partner_id, borrower_id) references borrowers
);
create index late_loans_borrower on late_loans (partner_id, borrower_id);

-- The log behind GET /events.
create table loan_log (
  id uuid not null,
  partner_id uuid not null references partners,
  loan_id uuid not null,
  event_type text not null,
  principal_amount bigint,
  fees_amount bigint,
  event_at timestamptz not null,
  -- What falls due is told once a loan and day, however often that day runs.
  due_on date,
  primary key (partner_id, id),
  foreign key (partner_id, loan_id) references loans
);
create index loan_log_loan on loan_log (partner_id, loan_id, id);
create index loan_log_type on loan_log (partner_id, event_type, id);
create unique index loan_log_due on loan_log (partner_id, loan_id, event_type, due_on)
  where due_on is not null;

-- Papers that came with a request, and what it said about them.
create table loan_documents (
  id uuid not null,
  partner_id uuid not null references partners,
  loan_id uuid not null,
  document_type text not null,
  document_name text,
  -- The company it is about: {identifier, identifier_type}.
  about_business jsonb,
  user_input jsonb not null,
  document_id uuid not null,
  uploaded_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, loan_id) references loans,
  foreign key (partner_id, document_id) references documents
);
create index loan_documents_loan on loan_documents (partner_id, loan_id, id);

-- Which loan finances how much of which invoice.
create table invoice_loans (
  invoice_id uuid not null,
  loan_id uuid not null,
  partner_id uuid not null references partners,
  amount bigint not null check (amount >= 0),
  -- The order in which a loan names its invoices. One that is declined finances nothing of them.
  position integer not null default 1,
  primary key (partner_id, invoice_id, loan_id),
  foreign key (partner_id, invoice_id) references invoices,
  foreign key (partner_id, loan_id) references loans
);
create index invoice_loans_loan on invoice_loans (partner_id, loan_id);

-- One question over all walls, answered with yes or no: does a loan of another partner finance
-- this invoice of this company already?
create function invoice_financed_elsewhere(partner uuid, key text, number text)
returns boolean
language plpgsql volatile as $$
declare
  walls text := current_setting('headroom.partners', true);
  taken boolean;
begin
  perform set_config('headroom.partners', '*', true);
  select exists (select from invoices i
    join counterparties c on c.partner_id = i.partner_id and c.id = i.seller_id
    join invoice_loans f on f.partner_id = i.partner_id and f.invoice_id = i.id
    join loans l on l.partner_id = f.partner_id and l.id = f.loan_id
    where upper(i.invoice_number) = upper(number) and c.company_key = key
      and i.partner_id <> partner and loan_finances(l))
    into taken;
  perform set_config('headroom.partners', walls, true);
  return taken;
end $$;

-- Foreign keys of tables of lower rooms.
alter table documents add foreign key (partner_id, loan_id) references loans;
alter table payments add foreign key (partner_id, loan_id) references loans;
