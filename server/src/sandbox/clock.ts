/** Reads and moves the sandbox clock. */
import { advanceClock } from '../back-office/business-days/index.ts'
import type { Handler, OrchestratedHandler } from '../context.ts'
import { readForPartner } from '../platform/db/transaction.ts'
import { wireDay } from '../platform/kit/dates.ts'
import { findingsIn } from '../platform/kit/problem.ts'
import { clockTarget } from './clock-target.ts'

export const getSandboxClock: Handler<'getSandboxClock'> = async tx => ({
  now: tx.now.toISOString(),
  business_date: wireDay(tx.today),
})

/** Advances the clock; responds once everything due by the target time has run. */
export const advanceSandboxClock: OrchestratedHandler<'advanceSandboxClock'> = {
  read: async (context, { body, caller }) => {
    const now = await readForPartner(context, caller.partner_id, tx => tx.now)
    const { faults } = await findingsIn(() => clockTarget(now, body))
    return { faults }
  },
  orchestrate: async (context, { body }) => {
    const moved = await advanceClock(context, now => clockTarget(now, body))
    return {
      now: moved.now.toISOString(),
      business_date: wireDay(moved.business_date),
      jobs_run: moved.jobs_run,
    }
  },
}
