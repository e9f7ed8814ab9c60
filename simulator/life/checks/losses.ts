/** Loans given up, and debts paid in parts: what was lost and what was paid, from plain facts. */
import { expectNone, type Rows } from './rows.ts'

/**
 * Valued after the day of a write-off, or on it and booked when the loan was written off already:
 * times do not tell which came first, for who books may have waited for who writes off.
 */
const LATER = `(m.value_on > l.written_off_on
  or m.value_on = l.written_off_on and m.after_write_off)`

/** A movement of a loan that was written off, beside what the loan keeps. */
interface Fact {
  id: string
  /** Null where the loan has no movement. */
  kind: string | null
  /** Cents of it, but for what went back before it could repay. */
  amount: bigint
  given_back: bigint
  /** Of a refund: what of it is lent, as the loan's fold says. */
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
 * The principal lost is what was lent, by the payout and by refunds that were no surplus, and was
 * not repaid by money valued before; money valued later recovers what is lost by its day. What is
 * beyond that repays nothing that is lent later: by then it may have been refunded.
 * Nothing is owed of such a loan any more, nor debited.
 */
export async function lossesAreExact(rows: Rows): Promise<void> {
  const facts = await rows<Fact>(`
    select l.id, m.kind, m.amount - m.given_back as amount, m.given_back, -m.principal as lent,
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
 * What was lost and recovered, from movements in the order in which they count; and whether every
 * refund sent back surplus that was there, and lent only what there was no surplus for.
 */
function lossOf(facts: readonly Fact[]) {
  let [open, lost, recovered] = [0n, 0n, 0n]
  // Received beyond principal, and not sent back: by repayments, by bills, and what bills credited.
  let [beyond, bills, credited] = [0n, 0n, 0n]
  let refunds = true
  for (const { kind, amount, given_back, lent, later, interest } of facts) {
    if (kind === 'PAYOUT') open += amount
    if (kind === 'EXTRA') beyond += amount
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
      if (later) lost += lent
      if (lent < 0n || lent > amount || beyond + bills < 0n) refunds = false
      // Surplus goes back first: all that is left of repayments has paid interest.
      if (lent > 0n && beyond > interest + credited) refunds = false
    }
    if (!later) lost = open
  }
  return { lost, recovered, refunds }
}

/**
 * An installment is paid by the money that names it and is its debit: no part gets more than it
 * asks for, what all parts got is what those payments have brought, and a plan that is COMPLETED
 * owes nothing.
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
    group by p.id having sum(s.amount) > p.amount`)
  expectNone('a payment paid more installments than it brought', over)
  const unpaid = await rows(`
    select l.id, i.position from installment_plans l join plan_installments i on i.plan_id = l.id
    join installment_parts a on a.installment_id = i.id
    where l.status = 'COMPLETED' and a.paid < a.due`)
  expectNone('a plan is completed and not paid', unpaid)
}
