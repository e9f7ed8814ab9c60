/** Keeps a loan's planned direct debit in step with what it owes. */
import { sql } from 'kysely'
import { type Actor, move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { enqueue } from '../jobs/index.ts'
import { addTargetDays } from '../kit/calendar.ts'
import {
  instructPayments,
  lockPayments,
  lockScheduled,
  type PaymentRow,
  schedulePayments,
  setAmount,
} from '../payments/index.ts'
import { collectionAccount, ibanAccount } from './accounts.ts'
import { collectionDay, DEBIT_NOTICE_TARGET_DAYS } from './dates.ts'
import { openParts, type Part } from './installments.ts'
import { type LoanRow, lockLoans, readInstallments } from './store.ts'

/** Statuses of a debit that is still to come. */
const PENDING = ['SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT']

/**
 * Plans, adjusts, cancels or recalls the debit of a loan's principal. A debit that failed or came
 * back is not presented again by itself: only where one is `agreed` on anew.
 */
export async function planCollection(
  tx: Tx,
  actor: Actor,
  loan_id: string,
  agreed: 'agreed' | null = null,
): Promise<void> {
  const [loan] = await lockLoans(tx, [loan_id])
  if (!loan) return
  await lockScheduled(tx, { loan_id })
  const debits = await readDebits(tx, loan_id)
  const parts = await openPartsOf(tx, loan)
  const positions = new Set(
    [...parts, ...debits].map(p => ('position' in p ? p.position : p.installment)),
  )
  for (const position of positions) {
    const part = parts.find(p => p.position === position)
    const own = debits.filter(d => d.installment === position)
    await planPart(tx, actor, loan, part, own, agreed)
  }
}

/** Keeps the debits of one part in step with what is open of it. */
async function planPart(
  tx: Tx,
  actor: Actor,
  loan: LoanRow,
  part: Part | undefined,
  debits: readonly PaymentRow[],
  agreed: 'agreed' | null,
): Promise<void> {
  const owed = part?.amount ?? 0n
  const debit = debits.find(d => PENDING.includes(d.status))
  if (!debit) {
    const tried = !agreed && debits.some(d => d.status !== 'CANCELED')
    if (part && loan.mandate_id && loan.repayment_method === 'DIRECT_DEBIT' && !tried) {
      await planDebit(tx, actor, loan, part)
    }
  } else if (debit.amount !== owed) {
    if (debit.status !== 'SCHEDULED') enqueue(tx, 'recall_payment', { payment_id: debit.id })
    else if (owed === 0n) await move(tx, actor, 'payment', [debit], 'cancel', 'nothing owed')
    else await setAmount(tx, debit.id, owed)
  }
}

/** What is owed of a loan, by its parts. */
async function openPartsOf(tx: Tx, loan: LoanRow): Promise<Part[]> {
  if (loan.status !== 'TO_REPAY') return []
  const installments = await readInstallments(tx, loan.id)
  if (installments.length > 0) return openParts(installments, loan.principal_repaid)
  const { to_repay_on: due_on, principal_outstanding: amount } = loan
  return [{ position: null, due_on, amount }]
}

/** A debit was taken back: what is still owed is debited anew, at the earliest day possible. */
export async function followCanceledDebit(
  tx: Tx,
  { payment }: { payment: PaymentRow },
  actor: Actor,
): Promise<void> {
  if (payment.direction === 'IN' && payment.loan_id) {
    await planCollection(tx, actor, payment.loan_id)
  }
}

async function readDebits(tx: Tx, loan_id: string): Promise<PaymentRow[]> {
  return tx.all(sql<PaymentRow>`
    select * from payments where loan_id = ${loan_id} and payment_method = 'DIRECT_DEBIT'
      and direction = 'IN' and payment_type = 'REPAYMENT_NOMINAL' order by id`)
}

async function planDebit(tx: Tx, actor: Actor, loan: LoanRow, part: Part): Promise<void> {
  const mandate = await tx.one(sql<{ iban: string; bic: string; debtor_name: string }>`
    select iban, bic, debtor_name from mandates where id = ${loan.mandate_id}`)
  const day = collectionDay(part.due_on, tx.today)
  const ids = await schedulePayments(tx, actor, [
    {
      partner_id: loan.partner_id,
      borrower_id: loan.borrower_id,
      payment_type: 'REPAYMENT_NOMINAL',
      payment_method: 'DIRECT_DEBIT',
      direction: 'IN',
      amount: part.amount,
      scheduled_on: day,
      from_account: ibanAccount(mandate.iban, mandate.bic, mandate.debtor_name),
      to_account: collectionAccount(tx.settings.lender),
      from_references: [loan.repayment_reference, ...loan.repayment_from_references],
      to_references: [loan.repayment_reference, ...loan.repayment_to_references],
      loan_id: loan.id,
      mandate_id: loan.mandate_id,
      installment: part.position,
    },
  ])
  // Shorter than the notice: nothing would instruct it later in time.
  if (addTargetDays(day, -DEBIT_NOTICE_TARGET_DAYS) > tx.today) return
  await instructPayments(tx, actor, await lockPayments(tx, ids))
}
