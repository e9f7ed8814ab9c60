/** Writes off a loan: one operator proposes it, another approves. */
import { initialStatus, move, recordCreation } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { recordEvent } from '../../../platform/events/record.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { type InvalidParam, invalid, problem } from '../../../platform/kit/problem.ts'
import { reasonFaults } from '../../../platform/kit/reason.ts'
import { lockLoanMoney, lockNamedLoan } from '../booking/money.ts'
import {
  insertWriteOff,
  lockOpenWriteOff,
  readWriteOff,
  setApproved,
  type WriteOffRow,
} from '../booking/write-off-store.ts'
import { bookLoan } from '../repayments/plan-payments.ts'
import { findLoan, type LoanRow, type LockedLoan } from '../store.ts'

export interface WriteOffRequest {
  readonly loan_id: string
  /**
   * Interest accrues up to the day before. Money with this value date is a repayment if it was
   * booked before the write-off, otherwise a recovery.
   */
  readonly written_off_on: Day
  readonly reason: string
}

const OWING = ['TO_REPAY', 'TO_REPAY_FEES']

/**
 * Proposes to write off a loan as of a day; returns the proposal's id. Throws `request_invalid`
 * with all errors, `resource_unknown`, or `state_conflict` if nothing is owed or a proposal is
 * pending.
 */
export async function proposeWriteOff(tx: Tx, request: WriteOffRequest): Promise<string> {
  const loan = await lockNamedLoan(tx, request.loan_id)
  if (!loan) throw problem('resource_unknown', `There is no loan ${request.loan_id}.`)
  requireOwing(loan)
  const faults = [...dayFaults(tx, loan, request.written_off_on), ...reasonFaults(request.reason)]
  if (faults.length > 0) throw invalid(faults)
  if (await lockOpenWriteOff(tx, loan)) {
    throw problem('state_conflict', 'A write-off waits for approval: approve or reject it first.')
  }
  const { partner_id } = loan
  const initial = initialStatus('write_off', [])
  const row = {
    id: tx.newId(),
    partner_id,
    loan_id: loan.id,
    status: initial.status,
    written_off_on: request.written_off_on,
    reason: request.reason.trim(),
    proposed_by: tx.actor,
    proposed_at: tx.now,
    approved_by: null,
    in_force_at: null,
  }
  await insertWriteOff(tx, row)
  recordCreation(tx, [{ id: row.id, partner_id, initial, reason: row.reason }])
  return row.id
}

/**
 * Approves a write-off on behalf of a second operator: accrual ends on the proposal's day, the open
 * amount becomes a loss, and the loan is CLOSED and no longer billed or debited. Throws
 * `resource_unknown`, or `state_conflict` for the proposer, without a pending proposal, or if the
 * loan was repaid meanwhile.
 */
export async function approveWriteOff(tx: Tx, id: string): Promise<void> {
  const { loan, proposal } = await lockProposal(tx, id)
  if (proposal.proposed_by === tx.actor) {
    throw problem('state_conflict', 'You cannot approve your own proposal.')
  }
  requireOwing(loan)
  await setApproved(tx, proposal)
  await move(tx, 'write_off', [proposal], 'approve')
  const { written_off_on } = proposal
  const fact = { kind: 'write_off' as const, value_on: written_off_on, cash: 0n }
  const onBooked = () => recordEvent(tx, 'loan', loan, 'Loan.WRITTEN_OFF')
  await bookLoan(tx, { loan, fact, changes: { written_off_on } }, { onBooked })
}

/** Rejects a pending proposal. Its proposer may do so too, to withdraw it. */
export async function rejectWriteOff(tx: Tx, id: string, reason: string): Promise<void> {
  const { proposal } = await lockProposal(tx, id)
  await move(tx, 'write_off', [proposal], 'reject', reason)
}

function requireOwing({ status }: LockedLoan): void {
  if (!OWING.includes(status)) throw problem('state_conflict', `It is ${status}: nothing is owed.`)
}

/** The errors in a proposal, whose fields may be missing. */
export async function writeOffFaults(
  tx: Tx,
  { loan_id, written_off_on, reason }: Partial<WriteOffRequest>,
): Promise<InvalidParam[]> {
  const loan = loan_id ? await findLoan(tx, loan_id) : undefined
  const days = loan && written_off_on ? dayFaults(tx, loan, written_off_on) : []
  return [...days, ...(reason === undefined ? [] : reasonFaults(reason))]
}

function dayFaults(tx: Tx, { paid_out_on }: Pick<LoanRow, 'paid_out_on'>, on: Day): InvalidParam[] {
  const name = 'written_off_on'
  if (on > tx.today) return [{ name, reason: 'is in the future' }]
  return paid_out_on && on < paid_out_on ? [{ name, reason: 'is before its payout' }] : []
}

/**
 * Locks the loan's money before the proposal, which is the common lock order. Throws
 * `resource_unknown`, or `state_conflict` unless the proposal is pending.
 */
async function lockProposal(
  tx: Tx,
  id: string,
): Promise<{ loan: LockedLoan; proposal: WriteOffRow }> {
  const known = await readWriteOff(tx, id)
  if (!known) throw problem('resource_unknown', `There is no write-off ${id}.`)
  const { partner_id, loan_id } = known
  const [loan] = await lockLoanMoney(tx, [{ partner_id, id: loan_id }])
  const proposal = await lockOpenWriteOff(tx, loan!)
  if (proposal?.id !== id || proposal.status !== 'PROPOSED') {
    throw problem('state_conflict', 'It does not wait for approval any more.')
  }
  return { loan: loan!, proposal }
}
