-- Loans: the request, the balances derived from the movements, and the log.

-- Interest in cents from an exact sum of principal × ppm × days. Rounds the total, half to even.
create function interest_cents(exact numeric) returns bigint
language sql immutable parallel safe as $$
  select (div(exact, 1000000) + case
    when mod(exact, 1000000) > 500000 then 1
    when mod(exact, 1000000) = 500000 then mod(div(exact, 1000000), 2)
    else 0 end)::bigint
$$;

-- The same rounding for exact sums that fit a bigint, which is much faster. Reports compute the
-- interest of every loan.
create function interest_cents(exact bigint) returns bigint
language sql immutable parallel safe as $$
  select exact / 1000000 + case
    when exact % 1000000 > 500000 then 1
    when exact % 1000000 = 500000 then exact / 1000000 % 2
    else 0 end
$$;

-- The exact share of `sum` that belongs to `part` of `whole`.
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
  -- Set while a loan without a payout is open because a refund became principal again: the status
  -- before that, to which the loan returns once no refund is principal.
  reopened_from text check (reopened_from in ('ISSUE_DETECTED', 'CANCELED', 'DELETED')),
  denial_reason text,
  amount bigint not null check (amount > 0),
  currency text not null check (currency = 'EUR'),
  rate_ppm integer not null,
  fees_payer text not null default 'BORROWER' check (fees_payer in ('BORROWER', 'PARTNER')),
  -- The payer of the interest: the borrower or the partner.
  payer_id uuid not null,
  mark_up_ppm integer not null default 0,
  salt_id text,
  request_hash text not null,
  auto_validate boolean not null,
  to_pay_on date not null,
  to_repay_on date not null,
  contractual_repayment_on date not null,
  -- Set when the due date was postponed in TO_REPAY, which is allowed once.
  postponed_at timestamptz,
  loan_to jsonb not null,
  loan_to_references text[] not null,
  repayment_from_references text[] not null,
  -- References besides ours: those of repayment terms, and the partner's own. The partner's are
  -- shown and written on debits, but no transfer is matched by them.
  repayment_to_references text[] not null default '{}',
  repayment_method text not null check (repayment_method in ('DIRECT_DEBIT', 'SCT', 'P2P')),
  -- The debit source: a mandate or a wallet.
  mandate_id uuid,
  wallet_id uuid,
  repayment_iban text not null,
  repayment_reference text not null,
  notification_emails text[] not null,
  metadata jsonb not null,
  contract_document_id uuid,
  transfer_contract_url text,
  -- Principal reserved on the credit line: until the payout, and while a debit can be returned.
  reserved bigint not null check (reserved >= 0),
  submitted_at timestamptz not null,
  -- Derived from the movements, as are the balances below; verify recomputes them.
  paid_out_on date,
  principal_outstanding bigint not null default 0 check (principal_outstanding >= 0),
  principal_repaid bigint not null default 0,
  principal_repaid_on date,
  -- The loan's amount less the principal owed or, once none is owed, the principal repaid. It pays
  -- the installments in order of due date. Negative while refunds are lent beyond the amount.
  principal_covered bigint not null,
  interest_accrued bigint not null default 0,
  interest_billed bigint not null default 0,
  interest_paid bigint not null default 0,
  -- The partner's part of the interest. Each figure is rounded separately.
  mark_up_accrued bigint not null default 0,
  mark_up_billed bigint not null default 0,
  mark_up_paid_out bigint not null default 0,
  -- The interest stops of the loan's cases: [{from_on, until_on}].
  interest_stops jsonb not null default '[]',
  -- When the interest-bearing principal or the write-off last changed. In a bill computed before
  -- that, the loan's interest must be recomputed.
  interest_changed_at timestamptz,
  surplus bigint not null default 0,
  surplus_refunded bigint not null default 0,
  -- Cents of refunds that count as principal again; verify recomputes them.
  refunds_reclaimed bigint not null default 0 check (refunds_reclaimed >= 0),
  -- If nothing but such refunds is outstanding, the first day on which an unpaid one was known to
  -- count as principal. Reminders, blocks and cases count from it, because the borrower could not
  -- know before.
  reclaimed_known_on date,
  -- If nothing but such refunds is outstanding, the value date of the oldest unpaid one; verify
  -- recomputes it.
  reclaimed_on date,
  -- The day of the write-off in force, and the balances that result from it.
  written_off_on date,
  principal_written_off bigint not null default 0,
  interest_written_off bigint not null default 0,
  -- The partner's part of the interest written off, less its part of the interest recovered.
  mark_up_written_off bigint not null default 0,
  principal_recovered bigint not null default 0,
  interest_recovered bigint not null default 0,
  -- The installment plan that settles the loan. While it is set, the loan has no debits of its own.
  installment_plan_id uuid,
  -- If the plan is contractual, the due date of its oldest unpaid installment.
  plan_due_on date,
  -- The day on which the loan as a whole is due. installments.ts computes this and the next amount
  -- due whenever the loan's money or dates change; verify recomputes them.
  falls_due_on date not null,
  in_parts boolean not null default false,
  -- The due date of the next amount owed. If it is an installment, due_part is its position.
  due_on date not null,
  due_part integer,
  -- Indexed in place of the amounts: an update that leaves the flag unchanged touches no index as
  -- long as the page has room for the row's new version.
  unbilled boolean not null generated always as (interest_billed <> interest_accrued) stored,
  -- Whether the partner's share is unsettled, and whether written-off debts remain to be recovered.
  -- Computed by unsettled.ts; verify recomputes both. Indexes on the amounts instead would change
  -- with every bill.
  share_unsettled boolean not null default false,
  unrecovered boolean not null default false,
  -- Marks a loan whose account must be recomputed from its movements, for example by a migration.
  -- The next business day recomputes it, books the difference and plans what follows.
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
-- Approved loans whose payout may be too late.
create index loans_scheduled on loans (to_repay_on) where status = 'SCHEDULED';
-- For filtered lists: finds the matching rows in list order, however rare they are.
create index loans_type on loans (partner_id, loan_type, id);
-- For lists filtered by the original due date: finds the range, whose rows are then sorted.
create index loans_contractual on loans (partner_id, contractual_repayment_on, id);
-- For lists of postponed loans: finds them in list order, however rare they are.
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
-- Created last: in an almost empty table, all indexes cost the same and plans use the newest.
alter table loans add primary key (partner_id, id);
create trigger loans_kept before delete on loans
  for each statement execute function refuse_delete();

-- Numbers the repayment accounts of loans on invoices. Each such loan has an account to itself.
create sequence loan_accounts;

-- Whether a loan finances its invoices. A canceled or deleted loan does not, even if a refund that
-- became principal again has reopened it, because another loan may finance the invoice by now.
create function loan_finances(l loans) returns boolean language sql immutable parallel safe as $$
  select l.status not in ('DECLINED', 'CANCELED', 'DELETED')
    and (l.reopened_from is null or l.reopened_from not in ('CANCELED', 'DELETED'))
$$;

-- Changes of a loan's money, by value date. A return voids the movement of the returned payment;
-- the loan is then recomputed as if the money had never moved.
create table loan_movements (
  id uuid not null,
  partner_id uuid not null references partners,
  loan_id uuid not null,
  kind text not null
    check (kind in ('PAYOUT', 'REPAYMENT', 'BILL_PAYMENT', 'EXTRA', 'CREDIT', 'REFUND')),
  payment_id uuid,
  bill_id uuid,
  card_entry_id uuid,
  -- The bill that credits interest. A CREDIT takes paid interest off its loan; other movements with
  -- that bill use the credit to pay interest.
  credit_bill_id uuid,
  -- The payment whose surplus a REFUND sends back. Surplus from another payer's bill covers only
  -- refunds of the payment that paid the bill.
  refunded_payment_id uuid,
  amount bigint not null check (amount > 0),
  value_on date not null,
  -- Money valued on the day of a write-off is a repayment if booked before it, a recovery if after.
  after_write_off boolean not null default false,
  booked_at timestamptz not null,
  voided_at timestamptz,
  -- The last day on which the debit can be returned. Until then its principal stays reserved.
  revocable_until date,
  -- The allocation of the amount, which changes when an earlier fact becomes known.
  principal bigint not null default 0,
  interest bigint not null default 0,
  surplus bigint not null default 0,
  -- The part that was sent back while no payout was in force. It repays nothing if the loan is paid
  -- out again.
  given_back bigint not null default 0 check (given_back between 0 and amount),
  -- For a refund that is principal, the day on which that became known. Reminders and cases count
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

-- The interest-bearing principal from a day until the next step.
create table loan_principal_steps (
  partner_id uuid not null,
  loan_id uuid not null,
  from_on date not null,
  principal bigint not null check (principal >= 0),
  primary key (partner_id, loan_id, from_on),
  foreign key (partner_id, loan_id) references loans
);

create table loan_installments (
  loan_id uuid not null,
  partner_id uuid not null references partners,
  position integer not null check (position > 0),
  due_on date not null,
  amount bigint not null check (amount > 0),
  -- The sum of the amounts up to and including this one. The installment is open until
  -- loans.principal_covered reaches it.
  amount_until bigint not null check (amount_until >= amount),
  primary key (partner_id, loan_id, position),
  foreign key (partner_id, loan_id) references loans
);
create index loan_installments_due on loan_installments (due_on, loan_id);

-- Terms that loans had earlier, and until when. Reports as of past days use them.
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

create table write_offs (
  id uuid not null,
  partner_id uuid not null references partners,
  loan_id uuid not null,
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

-- Overdue loans, and what was done about them.
create table late_loans (
  loan_id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  -- The day from which days past due count. A different day means another overdue period.
  late_from date not null,
  -- The day past due of the last reminder sent; 0 before the first.
  reminded_day integer not null default 0,
  -- Whether the fact `loan_late`, which opens a case, was published.
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
  -- The due date of an amount that becomes due. Such an entry is logged once, even if runs repeat.
  due_on date,
  primary key (partner_id, id),
  foreign key (partner_id, loan_id) references loans
);
create index loan_log_loan on loan_log (partner_id, loan_id, id);
create index loan_log_type on loan_log (partner_id, event_type, id);
create unique index loan_log_due on loan_log (partner_id, loan_id, event_type, due_on)
  where due_on is not null;

-- Documents sent with a loan request, and what the request says about them.
create table loan_documents (
  id uuid not null,
  partner_id uuid not null references partners,
  loan_id uuid not null,
  document_type text not null,
  document_name text,
  -- The company that the document is about: {identifier, identifier_type}.
  about_business jsonb,
  user_input jsonb not null,
  document_id uuid not null,
  uploaded_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, loan_id) references loans,
  foreign key (partner_id, document_id) references documents
);
create index loan_documents_loan on loan_documents (partner_id, loan_id, id);

-- The invoices that a loan finances, each with the financed amount.
create table invoice_loans (
  invoice_id uuid not null,
  loan_id uuid not null,
  partner_id uuid not null references partners,
  amount bigint not null check (amount >= 0),
  -- The invoice's position in the request, starting at 1.
  position integer not null default 1,
  primary key (partner_id, invoice_id, loan_id),
  foreign key (partner_id, invoice_id) references invoices,
  foreign key (partner_id, loan_id) references loans
);
create index invoice_loans_loan on invoice_loans (partner_id, loan_id);

-- Whether another partner's loan already finances this invoice of this company. Reads across all
-- partners; reveals only yes or no.
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

alter table documents add foreign key (partner_id, loan_id) references loans;
alter table payments add foreign key (partner_id, loan_id) references loans;
