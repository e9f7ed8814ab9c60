/** Prepares an approved loan: writes its contract, sends mails and schedules the payout. */
import { sql } from 'kysely'
import type { Context } from '../../../context.ts'
import { drawPdf } from '../../../integrations/documents/index.ts'
import type { Bank } from '../../../integrations/ports/bank.ts'
import {
  instructPayments,
  isPayoutHeld,
  lockPayments,
  readPayments,
  schedulePayments,
  withinFunding,
} from '../../../money/payments/index.ts'
import { move } from '../../../platform/db/move.ts'
import { haveKeys, keysBy, keysOf, type RowKey } from '../../../platform/db/of-partner.ts'
import { type Tx, transaction } from '../../../platform/db/transaction.ts'
import { fundingAccount } from '../../../platform/kit/payment-account.ts'
import { logLoanEvents } from '../booking/log-store.ts'
import { draftContract, issueContract } from '../contracts/write-contract.ts'
import { readLoans } from '../queries.ts'
import { readProduct } from '../requests/decision-inputs.ts'
import { type LoanRow, lockLoans } from '../store.ts'

/**
 * Issues a loan's contract and schedules its payout. Skips a loan that is no longer VALIDATED, so
 * it is safe to repeat. The contract's PDF is rendered between two transactions, so that no lock is
 * held meanwhile.
 */
export async function prepareLoan({ database, ports }: Context, key: RowKey): Promise<void> {
  const all = { partners: '*', actor: 'service' } as const
  const draft = await transaction(database, { ...all, read_only: true }, async tx => {
    const [loan] = await readLoans(tx, [key])
    return loan?.status === 'VALIDATED' ? draftContract(tx, loan) : null
  })
  if (!draft) return
  const content = await drawPdf(draft.document.partner_id, draft.paper)
  await transaction(database, all, async tx => {
    const [loan] = await lockLoans(tx, [draft.key])
    if (loan?.status !== 'VALIDATED') return
    await issueContract(tx, loan, draft, content)
    const { partner_id, id: loan_id, amount } = loan
    const event = { event_type: 'LOAN_VALIDATED' as const, principal_amount: amount }
    logLoanEvents(tx, [{ loan_id, partner_id, ...event }])
    await schedulePayout(tx, loan, ports.bank, 'schedule_payout')
  })
}

/** Writes and issues the contract of a card cycle's loan, which is already lent. Safe to repeat. */
export async function writeContract({ database }: Context, key: RowKey): Promise<void> {
  const all = { partners: '*', actor: 'service' } as const
  const draft = await transaction(database, { ...all, read_only: true }, async tx => {
    const [loan] = await readLoans(tx, [key])
    return loan && !loan.contract_document_id ? draftContract(tx, loan) : null
  })
  if (!draft) return
  const content = await drawPdf(draft.document.partner_id, draft.paper)
  await transaction(database, all, async tx => {
    const [loan] = await lockLoans(tx, [draft.key])
    if (loan && !loan.contract_document_id) await issueContract(tx, loan, draft, content)
  })
}

/** Schedules the payout for the day the bank accepts it, and sends it if that is today. */
export async function schedulePayout(
  tx: Tx,
  loan: LoanRow,
  bank: Bank,
  trigger: 'schedule_payout' | 'retry_payout',
): Promise<void> {
  const { payout_cut_off } = await readProduct(tx, loan)
  const day = bank.payoutDay(loan.loan_to.account_number, loan.to_pay_on, tx.now, payout_cut_off)
  const ids = await schedulePayments(tx, [
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
  await move(tx, 'loan', [loan], trigger)
  if (day > tx.today) return
  const { partner_id } = loan
  // The service instructs payouts, whoever scheduled this one.
  await instructPayouts(tx.as('service'), keysOf(partner_id, ids))
}

/**
 * Sends due payouts to the bank, except those that are held or for which cash is lacking. Locks
 * loans before payments, which is the common lock order.
 */
export async function instructPayouts(tx: Tx, keys: readonly RowKey[]): Promise<void> {
  const planned = await readPayments(tx, keys)
  const loans = await lockLoans(tx, keysBy(planned, 'loan_id'))
  const ready = new Map(loans.filter(l => l.status === 'SCHEDULED').map(l => [l.id, l]))
  const locked = await lockPayments(tx, planned)
  const free = await loansFreeToPay(tx, [...ready.values()])
  const due = locked.filter(p => p.status === 'SCHEDULED' && free.has(p.loan_id!))
  const payments = await withinFunding(tx, due)
  const paying = payments.map(p => ready.get(p.loan_id!)!)
  await move(tx, 'loan', paying, 'instruct_payout')
  await instructPayments(tx, payments)
}

async function loansFreeToPay(tx: Tx, loans: readonly RowKey[]): Promise<Set<string>> {
  const rows = await tx.all(sql<{ id: string }>`
    select id from loans
    where ${haveKeys(loans, 'loans')} and not ${isPayoutHeld('loans', tx.today)} order by id`)
  return new Set(rows.map(row => row.id))
}
