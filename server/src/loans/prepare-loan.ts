/** What follows an approval: the contract, its mails, and the payout on its day. */
import { type Actor, move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { instructPayments, lockPayments, schedulePayments } from '../payments/index.ts'
import type { Bank } from '../ports/bank.ts'
import { fundingAccount } from './accounts.ts'
import { lockLoanMoney } from './money.ts'
import { readProducts } from './situation.ts'
import { type LoanRow, logLoanEvents } from './store.ts'
import { writeContract } from './write-contract.ts'

const SERVICE: Actor = 'service'

/** Runs once after approval; a loan that was canceled meanwhile is left alone. */
export async function prepareLoan(tx: Tx, loan_id: string, bank: Bank): Promise<void> {
  const [loan] = await lockLoanMoney(tx, [loan_id])
  if (loan?.status !== 'VALIDATED') return
  await writeContract(tx, loan)
  await logLoanEvents(tx, [
    {
      loan_id,
      partner_id: loan.partner_id,
      event_type: 'LOAN_VALIDATED',
      principal_amount: loan.amount,
    },
  ])
  await schedulePayout(tx, loan, bank)
}

async function schedulePayout(tx: Tx, loan: LoanRow, bank: Bank): Promise<void> {
  const product = (await readProducts(tx)).get(loan.loan_type)
  const cutOff = product?.payout_cut_off ?? '15:00'
  const day = bank.payoutDay(loan.loan_to.account_number, loan.to_pay_on, tx.now, cutOff)
  const ids = await schedulePayments(tx, SERVICE, [
    {
      partner_id: loan.partner_id,
      borrower_id: loan.borrower_id,
      payment_type: 'LOAN_PAYMENT',
      payment_method: 'SCT',
      direction: 'OUT',
      amount: loan.amount,
      scheduled_on: day,
      from_account: fundingAccount(tx.settings.lender),
      to_account: loan.loan_to,
      from_references: [loan.repayment_reference],
      to_references: [...loan.loan_to_references],
      loan_id: loan.id,
    },
  ])
  await move(tx, SERVICE, 'loan', [loan], 'schedule_payout')
  if (day > tx.today) return
  await instructPayouts(tx, ids)
}

/** Sends payouts whose day has come: loans first, then their payments, as all who lock both. */
export async function instructPayouts(tx: Tx, payment_ids: readonly string[]): Promise<void> {
  const planned = await lockPayments(tx, payment_ids)
  const loans = await lockLoanMoney(
    tx,
    planned.map(p => p.loan_id!),
  )
  const ready = new Map(loans.filter(l => l.status === 'SCHEDULED').map(l => [l.id, l]))
  const payments = planned.filter(p => p.status === 'SCHEDULED' && ready.has(p.loan_id!))
  const paying = payments.map(p => ready.get(p.loan_id!)!)
  await move(tx, SERVICE, 'loan', paying, 'instruct_payout')
  await instructPayments(tx, SERVICE, payments)
}
