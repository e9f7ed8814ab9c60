/** Debtors before the lender's people: the interest of a case stands still, and runs again. */
import type { AdminHandlers } from '../../context.ts'
import { resumeInterest, stopFaults, stopInterest } from '../../credit/recollection/index.ts'
import { type Database, transaction } from '../../platform/db/transaction.ts'
import { readWireDay } from '../../platform/kit/dates.ts'

type Served = 'stopCaseInterest' | 'resumeCaseInterest'

interface Body {
  readonly on: string
  readonly reason: string
}

/** Every fault of what was sent, also where another part of it could not be read. */
const inspect = (
  { database }: { database: Database },
  { body: { on, reason } = {} }: { body?: Partial<Body> },
) =>
  transaction(database, { partners: '*', read_only: true }, async tx =>
    stopFaults(tx, { on: (on && readWireDay(on)) || undefined, reason }),
  )

const wishOf = (case_id: string, { on, reason }: Body) => ({
  case_id,
  on: readWireDay(on)!,
  reason,
})

export const recollectionWork: Pick<AdminHandlers, Served> = {
  stopCaseInterest: {
    inspect,
    handle: async (tx, { person, params, body }) => {
      await stopInterest(tx, person.operator_id, wishOf(params.recollection_case_id, body))
      return null
    },
  },

  resumeCaseInterest: {
    inspect,
    handle: async (tx, { person, params, body }) => {
      await resumeInterest(tx, person.operator_id, wishOf(params.recollection_case_id, body))
      return null
    },
  },
}
