/** Suspends interest on a case's loans from a date, as insolvency law requires, and resumes it. */
import { sql } from 'kysely'
import { keysBy, ofEachPartner } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { recordEvent } from '../../../platform/events/record.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { type InvalidParam, invalid, problem } from '../../../platform/kit/problem.ts'
import { reasonFaults } from '../../../platform/kit/reason.ts'
import { lockLoanMoney, setInterestStops } from '../../loans/index.ts'
import { type CaseRow, lockAnyCase } from '../cases/store.ts'
import { loansOfPlan } from '../plans/open-plan.ts'
import { findOpenStop, insertStop, setResumed, stopsOf } from './store.ts'

export interface InterestStopRequest {
  readonly case_id: string
  /** The first day without interest; when resuming, the first day with interest again. */
  readonly on: Day
  readonly reason: string
}

/**
 * Stops interest on an open case at an operator's request, possibly from a past date; bills since
 * then are corrected as usual. Throws `request_invalid` with all errors, `resource_unknown`, or
 * `state_conflict` if the case is closed, has no loans, or its interest is already stopped.
 */
export async function stopInterest(tx: Tx, request: InterestStopRequest): Promise<void> {
  const { found, loan_ids } = await lockCaseLoans(tx, request)
  if (found.status !== 'OPEN') throw problem('state_conflict', 'The case is closed.')
  if (loan_ids.length === 0) throw problem('state_conflict', 'No loan is in the case.')
  if (await findOpenStop(tx, found)) {
    throw problem('state_conflict', 'Interest on this case is already stopped.')
  }
  const { on: stopped_on, reason } = request
  await insertStop(tx, {
    id: tx.newId(),
    partner_id: found.partner_id,
    case_id: found.id,
    stopped_on,
    reason,
    stopped_by: tx.actor,
    created_at: tx.now,
  })
  const detail = `interest stopped from ${stopped_on}: ${reason}`
  await setInterestStops(tx, await stopsOf(tx, found, loan_ids), stopped_on, detail)
  recordEvent(tx, 'recollection_case', found, 'RecollectionCase.INTEREST_STOPPED')
}

/**
 * Resumes interest from a date, even on a closed case. Resuming from the date of the stop undoes
 * the stop. Throws `request_invalid`, `resource_unknown`, or `state_conflict` if interest is not
 * stopped.
 */
export async function resumeInterest(tx: Tx, request: InterestStopRequest): Promise<void> {
  const { found, loan_ids } = await lockCaseLoans(tx, request)
  const stop = await findOpenStop(tx, found)
  if (!stop) throw problem('state_conflict', 'The interest of this case is not stopped.')
  const { on, reason } = request
  if (on < stop.stopped_on) {
    throw invalid({ name: 'on', reason: `is before ${stop.stopped_on}, when it was stopped` })
  }
  await setResumed(tx, stop, { on, reason })
  const detail = `interest resumed from ${on}: ${reason}`
  await setInterestStops(tx, await stopsOf(tx, found, loan_ids), on, detail)
  recordEvent(tx, 'recollection_case', found, 'RecollectionCase.INTEREST_RESUMED')
}

/** The errors in a date and a reason, either of which may be absent. */
export function stopFaults(tx: Tx, { on, reason }: Partial<InterestStopRequest>): InvalidParam[] {
  const future = on !== undefined && on > tx.today
  return [
    ...(future ? [{ name: 'on', reason: 'is in the future' }] : []),
    ...(reason === undefined ? [] : reasonFaults(reason)),
  ]
}

/**
 * Locks the case's loans and the other loans of their plans before the case, in the common lock
 * order.
 */
async function lockCaseLoans(
  tx: Tx,
  { case_id, on, reason }: InterestStopRequest,
): Promise<{ found: CaseRow; loan_ids: string[] }> {
  const faults = stopFaults(tx, { on, reason })
  if (faults.length > 0) throw invalid(faults)
  const loans = await tx.all(sql<{ partner_id: string; loan_id: string; plan_id: string | null }>`
    select o.partner_id, o.loan_id, l.installment_plan_id as plan_id
    from recollection_case_loans o join loans l on l.partner_id = o.partner_id and l.id = o.loan_id
    where ${ofEachPartner('o')} and o.case_id = ${case_id} order by o.loan_id`)
  const loan_ids = loans.map(one => one.loan_id)
  const behind = await loansOfPlan(tx, keysBy(loans, 'plan_id'))
  await lockLoanMoney(tx, [...keysBy(loans, 'loan_id'), ...behind])
  const found = await lockAnyCase(tx, case_id)
  if (!found) throw problem('resource_unknown', `There is no recollection case ${case_id}.`)
  return { found, loan_ids }
}
