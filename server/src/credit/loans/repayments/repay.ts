/** Books repayments of loans by debit, transfer or card, and their returns. */
import { type Selectable, sql } from 'kysely'
import { cashOfPayment, type PaymentFor } from '../../../money/payments/index.ts'
import type { PaymentRow } from '../../../money/payments/types.ts'
import { keysOf, type RowKey } from '../../../platform/db/of-partner.ts'
import type { DB } from '../../../platform/db/schema.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { BankCash } from '../../../platform/ledger/index.ts'
import { isRecovery } from '../account.ts'
import { logLoanEvents } from '../booking/log-store.ts'
import { mailRepaid } from '../booking/mail-borrower.ts'
import {
  type BookedLoan,
  type LoanBooking,
  type LoanFact,
  lockLoanMoney,
} from '../booking/money.ts'
import { revocableUntil } from '../dates.ts'
import { type LoanRow, type LockedLoan, type NewMovement, voidMovements } from '../store.ts'
import { whileAllocating } from './ongoing-allocations.ts'
import { bookLoan } from './plan-payments.ts'

type RepaymentKind = 'REPAYMENT' | 'BILL_PAYMENT' | 'EXTRA'
type Mandate = Selectable<DB['mandates']>

interface Paid {
  readonly amount: bigint
  readonly value_on: Day
  readonly kind: RepaymentKind
  readonly bill_id?: string
  /** The result of `revocableOf`, if already known. */
  readonly revocable_until?: Day | null
  readonly is_of_plan?: boolean
}

/** Books a payment's share for a loan. The share's `kind` decides what it pays (see `Movement`). */
export async function repayLoan(
  tx: Tx,
  loan_id: string,
  payment: PaymentRow,
  share: Paid,
): Promise<BookedLoan> {
  const [loan] = await lockLoanMoney(tx, [{ partner_id: payment.partner_id, id: loan_id }])
  return repayLocked(tx, loan!, payment, share)
}

/** Like `repayLoan`, for a locked loan that has not been rebooked since it was read. */
export async function repayLocked(
  tx: Tx,
  loan: LockedLoan,
  payment: PaymentRow,
  share: Paid,
): Promise<BookedLoan> {
  const { revocable_until = await revocableOf(tx, payment, share.value_on) } = share
  const movement: NewMovement = {
    loan_id: loan.id,
    partner_id: loan.partner_id,
    kind: share.kind,
    payment_id: payment.id,
    bill_id: share.bill_id ?? null,
    amount: share.amount,
    value_on: share.value_on,
    revocable_until,
    after_write_off: loan.written_off_on !== null,
  }
  const fact: LoanFact = {
    kind: kindOf(loan, share),
    value_on: share.value_on,
    cash: share.amount,
    other: cashOfPayment(payment),
    payment_id: payment.id,
    bill_id: share.bill_id ?? null,
    is_of_plan: share.is_of_plan ?? false,
  }
  return bookRepayment(tx, { loan, fact, moved: [movement] })
}

/** Books a repayment and mails the borrower if it repays the last of the principal. */
function bookRepayment(tx: Tx, booking: LoanBooking): Promise<BookedLoan> {
  const { loan } = booking
  const onBooked = async ([booked]: readonly BookedLoan[]) => {
    const { account } = booked!
    if (account.principal_repaid_on && loan.principal_outstanding > 0n) {
      await mailRepaid(tx, loan, account)
    }
  }
  return bookLoan(tx, booking, { onBooked })
}

/**
 * Books money returned to a card as a repayment of its loan. The money never reached our bank, but
 * it reduces what we owe the processor.
 */
export async function repayByCard(
  tx: Tx,
  key: RowKey,
  share: { entry_id: string; amount: bigint; value_on: Day },
): Promise<void> {
  const [loan] = await lockLoanMoney(tx, [key])
  const { partner_id, id: loan_id } = key
  const { entry_id: card_entry_id, amount, value_on } = share
  const after_write_off = loan!.written_off_on !== null
  const by_card = { loan_id, partner_id, payment_id: null, card_entry_id, after_write_off }
  const moved: NewMovement[] = [{ ...by_card, kind: 'REPAYMENT', amount, value_on }]
  const fact: LoanFact = {
    kind: kindOf(loan!, { kind: 'REPAYMENT', value_on }),
    value_on,
    cash: amount,
    other: { code: 'card_settlement', owner_id: null },
  }
  // A card refund reported late may show that other payers paid too much interest; the excess
  // becomes their surplus.
  await bookRepayment(tx, { loan: loan!, fact, moved })
}

/**
 * Money valued on or after the day of a write-off is a recovery; earlier money reduces the loss.
 */
function kindOf(
  { written_off_on }: LoanRow,
  share: { kind: RepaymentKind; value_on: Day },
): 'recovery' | 'repayment' | 'bill_payment' {
  if (isRecovery({ ...share, after_write_off: true }, written_off_on)) return 'recovery'
  return share.kind === 'REPAYMENT' ? 'repayment' : 'bill_payment'
}

export async function settleCollection(
  tx: Tx,
  { payment, value_on }: { payment: PaymentFor<'loan_repayment'>; value_on: Day },
): Promise<void> {
  const share = { amount: payment.amount, value_on, kind: 'REPAYMENT' as const }
  await repayLoan(tx, payment.loan_id, payment, share)
}

/** Books a returned payment, as if its loans had never received the money. */
export async function returnRepayment(
  tx: Tx,
  fact: { payment: PaymentRow; back_id: string; value_on: Day; cash: BankCash },
): Promise<void> {
  const { partner_id } = fact.payment
  type Moved = { loan_id: string; amount: bigint; value_on: Day; after_write_off: boolean }
  const moved = await tx.all(sql<Moved>`
    select loan_id, sum(amount)::bigint as amount, min(value_on) as value_on,
      bool_and(after_write_off) as after_write_off from loan_movements
    where partner_id = ${partner_id} and payment_id = ${fact.payment.id} and voided_at is null
    group by loan_id order by loan_id`)
  const locked = await lockLoanMoney(
    tx,
    keysOf(
      partner_id,
      moved.map(m => m.loan_id),
    ),
  )
  // The payment's other movements are about to be voided too, so its surplus must not pay other
  // debts meanwhile.
  await whileAllocating(tx, fact.payment.id, async () => {
    for (const { id } of locked) {
      const { amount, ...money } = moved.find(m => m.loan_id === id)!
      // Each loan is read again, because the return on one loan may rebook the next.
      await voidMovements(tx, fact.payment, id)
      const loan = (await lockLoanMoney(tx, [{ partner_id, id }]))[0]!
      const { written_off_on } = loan
      const kind = isRecovery(money, written_off_on) ? 'recovery_returned' : 'repayment_returned'
      const { value_on, back_id: payment_id, cash: other } = fact
      const returned: LoanFact = { kind, value_on, cash: -amount, other, payment_id }
      await bookLoan(tx, { loan, fact: returned })
    }
  })
}

/** The last day of the payment's return window; null if it has none. */
export async function revocableOf(tx: Tx, payment: PaymentRow, value_on: Day): Promise<Day | null> {
  if (payment.payment_method !== 'DIRECT_DEBIT' || !payment.mandate_id) return null
  const { scheme } = await tx.one(sql<Mandate>`
    select * from mandates
    where partner_id = ${payment.partner_id} and id = ${payment.mandate_id}`)
  return revocableUntil(value_on, scheme as 'CORE' | 'B2B')
}

/** Logs that the bank refused a debit of principal, which stays owed. */
export async function logUnpaid(
  tx: Tx,
  { payment }: { payment: PaymentFor<'loan_repayment'> },
): Promise<void> {
  const { loan_id, partner_id, amount: principal_amount } = payment
  const event_type = 'LOAN_REPAYMENT_NOMINAL_UNPAID'
  logLoanEvents(tx, [{ loan_id, partner_id, event_type, principal_amount }])
}
