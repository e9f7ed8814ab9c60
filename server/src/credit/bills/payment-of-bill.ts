/** Chooses the payment that a bill's view shows. */
import type { Payment } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { isUnsuccessful, type PaymentRead, selectPayments } from '../../money/payments/index.ts'
import { haveKeys, keysBy, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { wireDay } from '../../platform/kit/dates.ts'
import { collectionAccount, lightAccount } from '../../platform/kit/payment-account.ts'
import type { BillRow } from './store.ts'

/**
 * Whether a payment `p` of a bill refunds its credit, and has not failed or been canceled or
 * returned.
 */
export const IS_REFUND = sql`p.payment_type = 'REFUND' and not ${isUnsuccessful('p')}`

/**
 * Candidates for the payment shown with a bill: the lowest rank wins, then the last paid, then the
 * newest.
 */
const RANK = {
  refund: sql.lit(0),
  /**
   * A paid payment of a paid bill, or an unpaid one of an open bill. For an INVALID bill, any of
   * its payments.
   */
  consistent: sql.lit(1),
  /** A settled debit of an open bill, as when the debit's return reopened the bill. */
  returned: sql.lit(2),
  /** A transfer that paid part of an open bill. */
  part: sql.lit(3),
  /** A payment for several bills, or one that paid the loans' interest before it was billed. */
  prepaid: sql.lit(4),
  /** Any other payment of the bill itself, such as a canceled one. */
  inconsistent: sql.lit(5),
  /**
   * The payout of one of the bill's loans, for bills without any of the above, such as credit
   * notes. Not used while the bill is TO_PAY.
   */
  payout: sql.lit(6),
  replaced: sql.lit(7),
  /**
   * A payment for the loans of a settled bill, made before the bill was settled. Shown for a bill
   * that a card refund settled, because no payment did.
   */
  of_loans: sql.lit(8),
}
/** Payments up to this rank are the bill's own, and take precedence over payments of its loans. */
const OWN_MAX = 3

/** The payment shown for each bill, by bill id; a bill without candidates is absent. */
export async function paymentsOf(
  tx: Tx,
  bills: readonly RowKey[],
): Promise<Map<string, PaymentRead>> {
  const own = await tx.all(shownPaymentsOf(ownPayments(bills)))
  // Most bills have a payment of their own, so the payments of their loans need not be read.
  const settled = new Set(own.filter(c => c.rank <= OWN_MAX).map(c => c.bill_id))
  const others = bills.filter(bill => !settled.has(bill.id))
  const chosen = [
    ...own.filter(c => settled.has(c.bill_id)),
    ...(others.length === 0
      ? []
      : await tx.all(
          shownPaymentsOf(sql`${ownPayments(others)} union all ${paymentsOfLoans(others)}`),
        )),
  ]
  const keys = keysBy(chosen, 'payment_id')
  const payments = await tx.all(selectPayments(haveKeys(keys, 'p')))
  const byId = new Map(payments.map(p => [p.id, p]))
  return new Map(chosen.map(c => [c.bill_id, byId.get(c.payment_id)!]))
}

interface ShownPayment {
  partner_id: string
  bill_id: string
  payment_id: string
  rank: number
}

function shownPaymentsOf(candidates: RawBuilder<unknown>): RawBuilder<ShownPayment> {
  return sql<ShownPayment>`
    select distinct on (c.bill_id) c.partner_id, c.bill_id, c.payment_id, c.rank
    from (${candidates}) c
    order by c.bill_id, c.rank, c.paid_at desc nulls last, c.payment_id desc`
}

function ownPayments(bills: readonly RowKey[]) {
  return sql`
    select p.partner_id, p.bill_id, p.id as payment_id, p.paid_at, case
        when b.status = 'INVALID' then ${RANK.consistent}
        when p.status = 'CANCELED' then ${RANK.inconsistent}
        when b.status = 'PAID' and (select sum(m.interest) from loan_movements m
          where m.partner_id = p.partner_id and m.payment_id = p.id and m.bill_id = p.bill_id
            and m.voided_at is null) = 0 then ${RANK.inconsistent}
        when (p.status = 'PAID') = (b.status = 'PAID') then ${RANK.consistent}
        when b.status = 'PAID' then ${RANK.inconsistent}
        when p.payment_method <> 'SCT' then ${RANK.returned}
        else ${RANK.part} end as rank
      from payments p join bills b on b.partner_id = p.partner_id and b.id = p.bill_id
      where ${haveKeys(bills, 'p', 'bill_id')} and p.direction = 'IN'
    union all
    select p.partner_id, p.bill_id, p.id, null, ${RANK.refund} from payments p
      where ${haveKeys(bills, 'p', 'bill_id')} and p.payment_type = 'REFUND'
    union all
    select p.partner_id, b.id, p.id, null, ${RANK.replaced}
      from bills b
      join payments p on p.partner_id = b.partner_id and p.bill_id = b.amends_bill_id
      where ${haveKeys(bills, 'b')}`
}

/**
 * Payments that settled the bills' lines, by the rule of `allocateToLines`: money for a bill stays
 * with it, and all other money pays the loan's lines, oldest bill first.
 */
function paymentsOfLines(bills: readonly RowKey[]) {
  const loans = sql`(select partner_id, loan_id from bill_lines
    where ${haveKeys(bills, 'bill_lines', 'bill_id')})`
  return sql`(
    with money as (select m.*, m.bill_id is not null and m.kind = 'BILL_PAYMENT' as is_own
      from loan_movements m
      where (m.partner_id, m.loan_id) in ${loans} and m.voided_at is null and m.interest > 0),
    own as (select loan_id, bill_id, sum(interest) as interest from money
      where is_own group by 1, 2),
    lines as (select i.partner_id, i.loan_id, i.bill_id, b.period_from,
        greatest(0, i.paid - i.lapsed - i.credited
          - least(i.amount, coalesce(o.interest, 0))) as rest
      from bill_lines i
      join bills b on b.partner_id = i.partner_id and b.id = i.bill_id and b.status <> 'INVALID'
      left join own o on o.loan_id = i.loan_id and o.bill_id = i.bill_id
      where (i.partner_id, i.loan_id) in ${loans}),
    placed as (select *, sum(rest) over (partition by loan_id order by period_from, bill_id)
      as until from lines),
    other as (select *, sum(interest) over (partition by loan_id order by id) as until
      from money where not is_own)
    select partner_id, bill_id, payment_id from money
      where is_own and ${haveKeys(bills, 'money', 'bill_id')}
    union all
    select o.partner_id, l.bill_id, o.payment_id from placed l join other o
      on o.loan_id = l.loan_id and o.until > l.until - l.rest and o.until - o.interest < l.until
      where ${haveKeys(bills, 'l', 'bill_id')})`
}

function paymentsOfLoans(bills: readonly RowKey[]) {
  return sql`
    select c.partner_id, c.bill_id, c.payment_id, null, ${RANK.prepaid}
      from ${paymentsOfLines(bills)} c where c.payment_id is not null
    union all
    select p.partner_id, l.bill_id, p.id, null, ${RANK.payout} from bill_lines l
      join payments p on p.partner_id = l.partner_id and p.loan_id = l.loan_id
        and p.payment_type = 'LOAN_PAYMENT'
      join bills b on b.partner_id = l.partner_id and b.id = l.bill_id and b.status <> 'TO_PAY'
      where ${haveKeys(bills, 'l', 'bill_id')}
    union all
    select p.partner_id, l.bill_id, p.id, null, ${RANK.of_loans} from bill_lines l
      join bills b on b.partner_id = l.partner_id and b.id = l.bill_id and b.status <> 'TO_PAY'
      join loan_movements m on m.partner_id = l.partner_id and m.loan_id = l.loan_id
        and (m.bill_id is null or m.bill_id = b.id) and m.id < (select s.id from state_changes s
          where s.partner_id = b.partner_id and s.resource_id = b.id and s.to_status = b.status
          order by s.id desc limit 1)
      join payments p on p.partner_id = m.partner_id and p.id = m.payment_id
        and p.direction = 'IN' and p.status = 'PAID'
      where ${haveKeys(bills, 'l', 'bill_id')}`
}

/**
 * A CANCELED payment of 0 for a bill without payments, because the API shows a payment with each
 * bill. Its id is the bill's, since there is no payment to look up.
 */
export function noPayment(tx: Tx, bill: BillRow): Payment {
  return {
    id: bill.id,
    amount: 0,
    currency: bill.currency as Payment['currency'],
    payment_type: 'REPAYMENT_FEES',
    payment_method: 'SCT',
    status: 'CANCELED',
    scheduled_at: wireDay(bill.due_on),
    paid_at: null,
    is_instant: false,
    from_account_details: null,
    from_references: [bill.reference],
    to_account_details: lightAccount(collectionAccount(tx.settings.lender)),
    to_references: [bill.reference],
    reason: null,
    failure_reason: null,
    charged_back_payment_id: null,
    provider: {
      name: tx.settings.mode === 'sandbox' ? 'SANDBOX' : 'NUMERAL',
      payment_id: null,
      original_id: null,
      initial_payment_id: null,
      override_reconciliation_id: null,
      failure_reason: null,
    },
    related_to: { bills: [], invoices: [], loans: [], payment_intents: [], subscriptions: [] },
    updated_at: bill.created_at.toISOString(),
  }
}
