/** Checks write-offs against the movements of their loans, and installment plans against shares. */
import { expectNone, type Rows } from './rows.ts'

/**
 * SQL: whether a movement follows the write-off, by its value date or, on the same day, by the
 * order of booking. Timestamps do not show that order, because either transaction may have waited
 * for the other.
 */
const LATER = `(m.value_on > l.written_off_on
  or m.value_on = l.written_off_on and m.after_write_off)`

/** A movement of a written-off loan, with the loan's stored balances. */
interface Fact {
  id: string
  /** Null if the loan has no movement. */
  kind: string | null
  /** The cents of the movement, less those refunded before they could repay. */
  amount: bigint
  given_back: bigint
  /** The payment that a movement belongs to or that a refund sends back; null for card credits. */
  of_payment: string | null
  /** For a refund: the part that is principal, according to the loan. */
  lent: bigint
  later: boolean
  lost: bigint
  recovered: bigint
  owed: bigint
  status: string
  /** Interest in cents that the borrower's repayments may have paid. */
  interest: bigint
}

/**
 * The loss is the principal, of the payout and of refunds that were not surplus, less the
 * repayments that precede the write-off. Money received later recovers only what had been lost by
 * its value date. The rest does not repay later principal, because it may have been refunded by
 * then. The loan no longer owes anything and is not debited.
 */
export async function lossesAreExact(rows: Rows): Promise<void> {
  const facts = await rows<Fact>(`
    select l.id, m.kind, m.amount - m.given_back as amount, m.given_back, -m.principal as lent,
      case m.kind when 'REFUND' then m.refunded_payment_id else m.payment_id end as of_payment,
      ${LATER} as later, l.principal_written_off as lost, l.principal_recovered as recovered,
      l.principal_outstanding as owed, l.status,
      case l.fees_payer when 'PARTNER' then 0 else l.interest_accrued end as interest
    from loans l left join loan_movements m on m.loan_id = l.id and m.voided_at is null
    where l.written_off_on is not null and l.written_off_on >= l.paid_out_on
    order by l.id, m.kind <> 'PAYOUT', later, greatest(m.value_on, l.paid_out_on),
      m.kind = 'REFUND', m.id`)
  const loans = [...Map.groupBy(facts, fact => fact.id)]
  const wrong = loans.flatMap(([id, own]) => {
    const { lost, recovered, owed, status } = own[0]!
    const exact = lossOf(own)
    const isExact = exact.lost === lost && exact.recovered === recovered && exact.refunds
    return isExact && owed === 0n && status === 'CLOSED'
      ? []
      : [{ id, exact, lost, recovered, owed, status }]
  })
  expectNone('a loss is not what was owed', wrong)
  const agreed = await rows(`
    select w.id from write_offs w where w.status = 'IN_FORCE' and w.approved_by = w.proposed_by`)
  expectNone('somebody agreed with himself', agreed)
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/**
 * Loss and recovery, from the movements in the order in which they count, and whether every refund
 * first returned the existing surplus and lent only the rest.
 */
function lossOf(facts: readonly Fact[]) {
  let [open, lost, recovered] = [0n, 0n, 0n]
  // Received beyond principal and not refunded: from repayments, from bills, and as credit notes.
  let [beyond, bills, credited] = [0n, 0n, 0n]
  // The amount in excess of a bill, by payment. Only a refund of that payment returns it.
  const reserved = new Map<string | null, bigint>()
  let refunds = true
  for (const { kind, amount, given_back, of_payment, lent, later, interest } of facts) {
    const own = reserved.get(of_payment) ?? 0n
    if (kind === 'PAYOUT') open += amount
    if (kind === 'EXTRA') {
      beyond += amount
      reserved.set(of_payment, own + amount)
    }
    if (kind === 'BILL_PAYMENT') bills += amount + given_back
    if (kind === 'CREDIT') credited += amount
    if (kind === 'REPAYMENT') {
      const principal = smaller(amount, open)
      open -= principal
      beyond += amount - principal + given_back
      if (later) recovered += principal
    }
    if (kind === 'REFUND') {
      open += lent
      beyond -= amount - lent
      reserved.set(of_payment, own - smaller(own, amount - lent))
      if (later) lost += lent
      if (lent < 0n || lent > amount || beyond + bills < 0n) refunds = false
      // Surplus is refunded first, so any repayments left have paid interest.
      const of_others = [...reserved].reduce((s, [of, a]) => s + (of === of_payment ? 0n : a), 0n)
      if (lent > 0n && beyond - of_others > interest + credited) refunds = false
    }
    if (!later) lost = open
  }
  return { lost, recovered, refunds }
}

/**
 * The parts of an installment are paid exactly what their shares add up to, and never more than
 * they owe. The shares of a payment never exceed its amount. A COMPLETED plan owes nothing.
 */
export async function plansAddUp(rows: Rows): Promise<void> {
  const greedy = await rows(`
    select a.id, a.due, a.paid, coalesce(s.got, 0) as got from installment_parts a
    left join (select part_id, sum(amount) as got from installment_shares
      where voided_at is null group by part_id) s on s.part_id = a.id
    where a.paid <> coalesce(s.got, 0) or a.paid > a.due`)
  expectNone('a part of an installment has other money than it was paid', greedy)
  const over = await rows(`
    select p.id, p.amount, sum(s.amount) as shared from payments p
    join installment_shares s on s.payment_id = p.id and s.voided_at is null
    group by p.partner_id, p.id having sum(s.amount) > p.amount`)
  expectNone('a payment paid more installments than it brought', over)
  const unpaid = await rows(`
    select l.id, i.position from installment_plans l join plan_installments i on i.plan_id = l.id
    join installment_parts a on a.installment_id = i.id
    where l.status = 'COMPLETED' and a.paid < a.due`)
  expectNone('a plan is completed and not paid', unpaid)
}
