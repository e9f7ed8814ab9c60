/** Which payment stands for a bill: GET /bills answers one with each. */
import type { Payment } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { type PaymentRead, selectPayments } from '../../money/payments/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { wireDay } from '../../platform/kit/dates.ts'
import { collectionAccount, lightAccount } from '../../platform/kit/payment-account.ts'
import type { BillRow } from './store.ts'

/** Says of a payment `p` of a bill whether it pays back what that credited, and did not fail. */
export const IS_REFUND = sql`p.payment_type = 'REFUND' and p.status not in ('FAILED', 'CANCELED')
  and not exists (select from payments r where r.charged_back_payment_id = p.id)`

/** What may stand for a bill: the lowest does; of several the last paid, then the newest. */
const RANK = {
  /** It pays back what the bill credits. */
  refund: sql.lit(0),
  /** Paid as the bill is, or open as the bill is; what was planned for one that was replaced. */
  in_step: sql.lit(1),
  /** A debit that was paid, while the bill is open: it came back. */
  came_back: sql.lit(2),
  /** A transfer that paid a part of an open bill. */
  part: sql.lit(3),
  /** It paid interest of the loans, before the bill was written. */
  prepaid: sql.lit(4),
  /** Canceled, or still to come for a bill that others paid. */
  out_of_step: sql.lit(5),
  /** The payout of a loan, which a credit note is about. Of an open bill it says nothing. */
  payout: sql.lit(6),
  /** That of the bill which this one replaces. */
  replaced: sql.lit(7),
  /** Any of its loans, once it is paid: card refunds pay without a payment. */
  of_loans: sql.lit(8),
}
/** Up to this rank a payment was planned for the bill, and none of its loans' goes before. */
const OWN_MAX = 3

/** The payment that stands for each bill; one that no payment was ever planned for has none. */
export async function paymentsOf(
  tx: Tx,
  ids: readonly string[],
): Promise<Map<string, PaymentRead>> {
  const own = await tx.all(chosenOf(ownPayments(ids)))
  // Most bills have one of their own, and the payments of their loans need not be looked at.
  const settled = new Set(own.filter(c => c.rank <= OWN_MAX).map(c => c.bill_id))
  const others = ids.filter(id => !settled.has(id))
  const chosen = [
    ...own.filter(c => settled.has(c.bill_id)),
    ...(others.length === 0
      ? []
      : await tx.all(chosenOf(sql`${ownPayments(others)} union all ${paymentsOfLoans(others)}`))),
  ]
  const payments = await tx.all(
    selectPayments(sql`p.id = any(${chosen.map(c => c.payment_id)}::uuid[])`),
  )
  const byId = new Map(payments.map(p => [p.id, p]))
  return new Map(chosen.map(c => [c.bill_id, byId.get(c.payment_id)!]))
}

interface Chosen {
  bill_id: string
  payment_id: string
  rank: number
}

function chosenOf(candidates: RawBuilder<unknown>): RawBuilder<Chosen> {
  return sql<Chosen>`
    select distinct on (c.bill_id) c.bill_id, c.payment_id, c.rank from (${candidates}) c
    order by c.bill_id, c.rank, c.paid_at desc nulls last, c.payment_id desc`
}

/** Those that were planned for the bills, or for what they replace. */
function ownPayments(ids: readonly string[]) {
  return sql`
    select p.bill_id, p.id as payment_id, p.paid_at, case
        when b.status = 'INVALID' then ${RANK.in_step}
        when p.status = 'CANCELED' then ${RANK.out_of_step}
        when (p.status = 'PAID') = (b.status = 'PAID') then ${RANK.in_step}
        when b.status = 'PAID' then ${RANK.out_of_step}
        when p.payment_method <> 'SCT' then ${RANK.came_back}
        else ${RANK.part} end as rank
      from payments p join bills b on b.id = p.bill_id
      where p.bill_id = any(${ids}::uuid[]) and p.direction = 'IN'
    union all
    select p.bill_id, p.id, null, ${RANK.refund} from payments p
      where p.bill_id = any(${ids}::uuid[]) and p.payment_type = 'REFUND'
    union all
    select b.id, p.id, null, ${RANK.replaced}
      from bills b join payments p on p.bill_id = b.amends_bill_id
      where b.id = any(${ids}::uuid[])`
}

/** Those that moved money of the loans on the bills. */
function paymentsOfLoans(ids: readonly string[]) {
  return sql`
    select l.bill_id, m.payment_id, null, ${RANK.prepaid} from bill_lines l
      join loan_movements m on m.loan_id = l.loan_id
      where l.bill_id = any(${ids}::uuid[]) and m.payment_id is not null
        and m.interest > 0 and m.voided_at is null
    union all
    select l.bill_id, p.id, null, ${RANK.payout} from bill_lines l
      join payments p on p.loan_id = l.loan_id and p.payment_type = 'LOAN_PAYMENT'
      join bills b on b.id = l.bill_id and b.status <> 'TO_PAY'
      where l.bill_id = any(${ids}::uuid[])
    union all
    select l.bill_id, coalesce(m.payment_id, p.id), null, ${RANK.of_loans} from bill_lines l
      left join loan_movements m on m.loan_id = l.loan_id and m.payment_id is not null
      left join payments p on p.loan_id = l.loan_id
      join bills b on b.id = l.bill_id and b.status <> 'TO_PAY'
      where l.bill_id = any(${ids}::uuid[]) and coalesce(m.payment_id, p.id) is not null`
}

/**
 * Stands for a bill without any: nothing is to be paid of it. The public record wants a payment
 * with each bill; this one has the bill's own id, for there is none to be looked up.
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
