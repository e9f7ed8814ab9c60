/** Reading and moving the sandbox clock. */
import type { Conducted, Handler } from '../context.ts'
import { advanceClock } from '../office/days/index.ts'
import { readAs } from '../platform/db/transaction.ts'
import { wireDay } from '../platform/kit/dates.ts'
import { faultsIn } from '../platform/kit/problem.ts'
import { clockTarget } from './clock-target.ts'

export const getSandboxClock: Handler<'getSandboxClock'> = async tx => ({
  now: tx.now.toISOString(),
  business_date: wireDay(tx.today),
})

/** Moves the clock forward; answers once all that fell due on the way has run. */
export const advanceSandboxClock: Conducted<'advanceSandboxClock'> = {
  inspect: (context, { body, caller }) =>
    readAs(context, caller.partner_id, ({ now }) => faultsIn(() => clockTarget(now, body))),
  conduct: async (context, { body }) => {
    const moved = await advanceClock(context, now => clockTarget(now, body))
    return {
      now: moved.now.toISOString(),
      business_date: wireDay(moved.business_date),
      jobs_run: moved.jobs_run,
    }
  },
}
