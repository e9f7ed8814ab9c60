/** Reading and moving the sandbox clock. */
import { advanceClock } from '../business-day.ts'
import type { Conducted, Handler } from '../context.ts'
import { transaction } from '../db/transaction.ts'
import { wireDay } from '../kit/dates.ts'
import { clockTarget } from './clock-target.ts'

export const getSandboxClock: Handler<'getSandboxClock'> = async tx => ({
  now: tx.now.toISOString(),
  business_date: wireDay(tx.today),
})

/** Moves the clock forward; answers once all that fell due on the way has run. */
export const advanceSandboxClock: Conducted<'advanceSandboxClock'> = {
  conduct: async (context, { body, caller }) => {
    const scope = { partners: [caller.partner_id], read_only: true }
    const now = await transaction(context.database, scope, async tx => tx.now)
    const moved = await advanceClock(context, clockTarget(now, body))
    return {
      now: moved.now.toISOString(),
      business_date: wireDay(moved.business_date),
      jobs_run: moved.jobs_run,
    }
  },
}
