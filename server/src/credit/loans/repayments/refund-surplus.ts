/** Plans refunds of a loan's surplus to its payers, or to the borrower for card refunds. */
import { sql } from 'kysely'
import { publishFact } from '../../../facts.ts'
import {
  lockScheduled,
  type PaymentRow,
  schedulePayments,
  setAmounts,
  setDays,
  setReason,
} from '../../../money/payments/index.ts'
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { move } from '../../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { addTargetDays, onOrAfterTargetDay } from '../../../platform/kit/calendar.ts'
import { addDays, compare, type Day, max } from '../../../platform/kit/dates.ts'
import { euros, maxAmount, minAmount } from '../../../platform/kit/money.ts'
import { collectionAccount } from '../../../platform/kit/payment-account.ts'
import { computeAccount, TO_BE_PAID_OUT } from '../account.ts'
import { currentMoney, type LoanMoney, lockLoansWithLinks } from '../booking/links.ts'
import { readMovementsOf } from '../booking/read-movements.ts'
import type { LoanRow, MovementRow } from '../store.ts'
import { type Provisional, provisionalOnOtherDebts } from './provisional.ts'
import { type RefundPayee, readPayees } from './refund-payees.ts'

/**
 * A refund that is due: its amount in cents, the earliest day on which it may be sent, and the day
 * for which a new refund is scheduled.
 */
interface Due {
  readonly amount: bigint
  readonly not_before: Day
  readonly scheduled_on: Day
}

/**
 * Keeps a loan's planned refunds in step with its surplus: each payer gets back the excess of its
 * payment. Surplus that depends on any payer's revocable debit waits until the debit is final. A
 * refund that failed or was returned, and money whose payer's account is unknown, wait for
 * an operator. Surplus of a payment with other targets pays those first, unless it was already
 * offered to them (`is_offered`).
 */
export async function planRefunds(tx: Tx, known: LoanMoney, is_offered = false): Promise<void> {
  const [money] = mayRefund(known) ? await currentMoney(tx, [known]) : []
  if (!money || !mayRefund(money)) return
  const { loan } = money
  const is_card = loan.loan_type === CARD_LOAN
  await lockScheduled(tx, 'loan_id', loan)
  const refunds = await readRefunds(tx, loan)
  const live = refunds.filter(r => r.sent_again_at === null)
  const payees = await readPayees(tx, loan)
  if (!is_offered && (await offerSurplus(tx, payees, live))) {
    return planRefundsOf(tx, loan, true)
  }
  const pots = refundableOf(loan, payees, live)
  const movements = (await readMovementsOf(tx, [loan])).get(loan.id) ?? []
  const waiting = new Map<string, bigint>()
  for (const payee of payees) {
    const own = live.filter(r => r.refunded_payment_id === payee.id)
    const planned = own.filter(r => r.status === 'SCHEDULED')
    const sent = sumOf(own) - sumOf(planned)
    const wanted = payee.surplus - sent
    const amount = payee.to ? pots.take(payee.id, wanted) : pots.within(payee.id, wanted)
    await noteUnknownAccount(tx, loan, payee, payee.to ? 0n : amount)
    const elsewhere = amount > 0n ? await provisionalOnOtherDebts(tx, loan, payee.payment) : []
    const held = { movements, elsewhere }
    const dues = payee.to && amount > 0n ? duesOf(tx, loan, held, payee, sent, amount) : []
    await planDues(tx, loan, payee, planned, dues)
    // An operator has to send failed and returned refunds again, up to the amount still owed.
    let unsent = wanted - amount
    for (const refund of own.filter(r => r.undone !== null).toReversed()) {
      unsent += refund.amount
      const again = pots.take(payee.id, minAmount(unsent, refund.amount))
      waiting.set(refund.id, again)
      unsent -= again
    }
  }
  const payers = new Set(payees.map(payee => payee.id))
  if (is_card && !payers.has(null)) await clearAlert(tx, 'refund_waiting', loan.id)
  const stale = live.filter(r => r.status === 'SCHEDULED' && !payers.has(r.refunded_payment_id))
  await move(tx, 'payment', stale, 'cancel', 'nothing to refund')
  for (const refund of refunds) await noteUnsent(tx, refund, waiting.get(refund.id) ?? 0n)
}

const CARD_LOAN = 'CREDIT_CARD_FINANCING'

/** Money received before the payout is not refunded: it repays the loan at the payout. */
function mayRefund({ loan, links }: LoanMoney): boolean {
  if (TO_BE_PAID_OUT.has(loan.status)) return false
  return loan.surplus !== 0n || links.refunds
}

/** Like `planRefunds`, but locks and reads the loan first. */
export async function planRefundsOf(tx: Tx, loan: RowKey, is_offered = false): Promise<void> {
  const [money] = await lockLoansWithLinks(tx, [loan])
  await planRefunds(tx, money!, is_offered)
}

/**
 * Offers the surplus of payments to their other targets; returns whether there was any to offer.
 */
async function offerSurplus(
  tx: Tx,
  payees: readonly RefundPayee[],
  refunds: readonly Refund[],
): Promise<boolean> {
  const spare = payees.flatMap(({ id, payment, surplus }) => {
    const gone = sentRefundsOf(refunds).filter(r => r.refunded_payment_id === id)
    const namesOthers = payment && payment.loan_id === null && surplus > sumOf(gone)
    return namesOthers ? payment : []
  })
  for (const payment of spare) await publishFact(tx, 'surplus_found', { payment })
  return spare.length > 0
}

/**
 * A refund that `readRefunds` returns: not one that we canceled, and not one that was sent again
 * and whose `reason` has been cleared.
 */
type Refund = PaymentRow & {
  /** Why it failed or was returned; null if it arrived or may still arrive. */
  undone: string | null
}

/** Refunds sent to the bank, except failed and returned ones, which are owed again. */
function sentRefundsOf(refunds: readonly Refund[]): Refund[] {
  return refunds.filter(r => r.status !== 'SCHEDULED' && r.undone === null)
}

function readRefunds(tx: Tx, loan: RowKey): Promise<Refund[]> {
  return tx.all(sql<Refund>`
    select p.*, case when p.status = 'PAID' then b.failure_reason else p.failure_reason end
      as undone
    from payments p left join lateral (
      select coalesce(c.failure_reason, 'RETURNED') as failure_reason from payments c
      where c.partner_id = p.partner_id and c.charged_back_payment_id = p.id limit 1) b on true
    where ${haveKeys([loan], 'p', 'loan_id')} and p.payment_type = 'REFUND'
      and (p.status <> 'CANCELED' or p.failure_reason is not null)
      and (p.sent_again_at is null or p.reason is not null) order by p.scheduled_on, p.id`)
}

/**
 * The amounts of a loan still to be refunded. The excess of bill payments is kept separate
 * (`isBillMoney`).
 */
interface Refundable {
  /** The part of `amount` available for a payment; never negative. */
  within(payment_id: string | null, amount: bigint): bigint
  take(payment_id: string | null, amount: bigint): bigint
}

/**
 * Excess of a bill payment goes back to its payer alone; any other surplus goes to payers in order.
 */
function refundableOf(
  loan: Pick<LoanRow, 'surplus' | 'surplus_refunded'>,
  payees: readonly RefundPayee[],
  refunds: readonly Refund[],
): Refundable {
  const onTheirWay = refunds.filter(r => r.status === 'INSTRUCTED' || r.status === 'IN_TRANSIT')
  const gone = sentRefundsOf(refunds)
  const unrefundedOf = ({ id, payment }: RefundPayee) =>
    maxAmount((payment?.kept ?? 0n) - sumOf(gone.filter(r => r.refunded_payment_id === id)), 0n)
  const kept = new Map(payees.map(payee => [payee.id, unrefundedOf(payee)]))
  const all = loan.surplus - loan.surplus_refunded - sumOf(onTheirWay)
  let free = [...kept.values()].reduce((rest, cents) => rest - cents, all)
  const within = (payment_id: string | null, amount: bigint) =>
    maxAmount(minAmount(amount, kept.get(payment_id)! + maxAmount(free, 0n)), 0n)
  const take = (payment_id: string | null, amount: bigint) => {
    const taken = within(payment_id, amount)
    const own = minAmount(kept.get(payment_id)!, taken)
    kept.set(payment_id, kept.get(payment_id)! - own)
    free -= taken - own
    return taken
  }
  return { within, take }
}

/**
 * Splits the `amount` still to be refunded to a payee by the day on which it can be sent: the next
 * banking day for surplus that depends on no revocable debit, and for the rest the banking day
 * after the return window on which it depends. `sent` cents have been sent already.
 */
function duesOf(
  tx: Tx,
  loan: LoanRow,
  { movements, elsewhere }: Held,
  { id, surplus }: RefundPayee,
  sent: bigint,
  amount: bigint,
): Due[] {
  const next = onOrAfterTargetDay(addDays(tx.today, 1))
  const windows = [
    ...movements.flatMap(m => m.revocable_until ?? []).filter(until => until >= tx.today),
    ...elsewhere.map(({ until }) => until),
  ].sort(compare)
  const dues: Due[] = []
  let planned = 0n
  for (const passed of [null, ...new Set(windows)]) {
    const firm = movements.filter(m => isFinalBy(m, passed ?? addDays(tx.today, -1)))
    const last = passed === windows.at(-1) || windows.length === 0
    // Surplus of card refunds belongs to no payment, so it waits for the last return window.
    if (id === null && !last) continue
    const still = elsewhere.filter(({ until }) => passed === null || until > passed)
    const firmly = id && !last ? finalSurplusOf(surplusBy(firm, loan, id), surplus, still) : surplus
    const free = minAmount(firmly - sent, amount)
    if (free <= planned) continue
    const not_before = passed ? addTargetDays(passed, 1) : tx.today
    dues.push({ amount: free - planned, not_before, scheduled_on: max(next, not_before) })
    planned = free
  }
  return dues
}

/**
 * Cents of a payment's `surplus` that no return can reduce. `without` is the surplus if the loan's
 * revocable money were returned. The payment's other targets may need a part of the surplus.
 */
function finalSurplusOf(without: bigint, surplus: bigint, still: readonly Provisional[]): bigint {
  const elsewhere = still.reduce((sum, held) => sum + held.elsewhere, 0n)
  return minAmount(without - elsewhere, surplus - sumOf(still))
}

/**
 * The money that determines when a surplus can be refunded: all movements of the loan, and
 * revocable money on the other targets of the overpaid payment.
 */
interface Held {
  readonly movements: readonly MovementRow[]
  readonly elsewhere: readonly Provisional[]
}

function isFinalBy({ revocable_until }: MovementRow, until: Day): boolean {
  return revocable_until === null || revocable_until <= until
}

/** Cents of surplus from a payment if the loan had only these movements. */
function surplusBy(movements: readonly MovementRow[], loan: LoanRow, payment_id: string): bigint {
  const { shares } = computeAccount(movements, loan)
  return movements
    .filter(m => m.payment_id === payment_id)
    .reduce((sum, m) => sum + shares.get(m.id)!.surplus, 0n)
}

async function planDues(
  tx: Tx,
  loan: LoanRow,
  payee: RefundPayee,
  planned: readonly PaymentRow[],
  dues: readonly Due[],
): Promise<void> {
  const kept = planned.slice(0, dues.length).map((refund, index) => ({ refund, due: dues[index]! }))
  const amounts = kept.filter(({ refund, due }) => refund.amount !== due.amount)
  await setAmounts(
    tx,
    amounts.map(({ refund: { partner_id, id }, due: { amount } }) => ({ partner_id, id, amount })),
  )
  const days = kept.filter(
    ({ refund: { scheduled_on: on }, due }) => on < due.not_before || on > due.scheduled_on,
  )
  await setDays(
    tx,
    days.map(({ refund: { partner_id, id }, due: { scheduled_on } }) => ({
      partner_id,
      id,
      scheduled_on,
    })),
  )
  await move(tx, 'payment', planned.slice(dues.length), 'cancel', 'nothing to refund')
  await schedulePayments(
    tx,
    dues.slice(planned.length).map(({ amount, scheduled_on }) => ({
      amount,
      scheduled_on,
      partner_id: loan.partner_id,
      borrower_id: loan.borrower_id,
      payment_type: 'REFUND',
      payment_method: 'SCT',
      direction: 'OUT',
      from_account: collectionAccount(tx.settings.lender),
      to_account: payee.to!,
      to_references: [loan.repayment_reference],
      loan_id: loan.id,
      refunded_payment_id: payee.id,
    })),
  )
}

/**
 * Alerts operators to the amount that cannot be refunded because the payer's account is unknown,
 * and records it on the payment, if there is one. Clears both if no amount waits.
 */
async function noteUnknownAccount(
  tx: Tx,
  loan: LoanRow,
  payee: RefundPayee,
  amount: bigint,
): Promise<void> {
  const { payment, to } = payee
  const waiting = payment && !to ? amount + (await surplusElsewhere(tx, loan, payment)) : amount
  const reason =
    waiting > 0n ? `${euros(waiting)} overpaid cannot be refunded: payer account unknown.` : null
  if (payment) await noteReason(tx, payment, reason)
  else if (reason) await raiseAlert(tx, 'refund_waiting', loan.id, reason)
  else await clearAlert(tx, 'refund_waiting', loan.id)
}

/**
 * Records on a failed or returned refund that an operator has to send it again. Clears the note if
 * nothing waits.
 */
async function noteUnsent(tx: Tx, refund: Refund, waiting: bigint): Promise<void> {
  const what = `${euros(waiting)} overpaid did not reach the payer: ${refund.undone}.`
  await noteReason(tx, refund, waiting > 0n ? `${what} Send the refund again.` : null)
}

/** Updates the alert only if the reason changed, so that operators are alerted once. */
async function noteReason(tx: Tx, payment: PaymentRow, reason: string | null): Promise<void> {
  if (!(await setReason(tx, payment, reason))) return
  await clearAlert(tx, 'refund_waiting', payment.id)
  if (reason) await raiseAlert(tx, 'refund_waiting', payment.id, reason)
}

/**
 * Surplus of the same payment on other loans, which cannot be refunded either until the payer's
 * account is known.
 */
async function surplusElsewhere(tx: Tx, loan: LoanRow, payment: PaymentRow): Promise<bigint> {
  const { surplus } = await tx.one(sql<{ surplus: bigint }>`
    select coalesce(sum(surplus), 0)::bigint as surplus from loan_movements
    where ${haveKeys([payment], 'loan_movements', 'payment_id')} and loan_id <> ${loan.id}
      and voided_at is null`)
  return surplus
}

function sumOf(money: readonly { readonly amount: bigint }[]): bigint {
  return money.reduce((sum, { amount }) => sum + amount, 0n)
}
