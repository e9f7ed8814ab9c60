/** Back office: suspends and resumes the interest of a collections case. */
import type { AdminHandlers } from '../../context.ts'
import { resumeInterest, stopFaults, stopInterest } from '../../credit/recollection/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { readWireDay } from '../../platform/kit/dates.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'

type Served = 'stopCaseInterest' | 'resumeCaseInterest'

interface Body {
  readonly on: string
  readonly reason: string
}

const check = (tx: Tx, { body: { on, reason } }: { body: WellFormed<Body> }) => ({
  faults: stopFaults(tx, { on: (on && readWireDay(on)) || undefined, reason }),
})

const stopRequestOf = (case_id: string, { on, reason }: Body) => ({
  case_id,
  on: readWireDay(on)!,
  reason,
})

export const recollectionWork: Pick<AdminHandlers, Served> = {
  stopCaseInterest: {
    check,
    handle: async (tx, { params, body }) => {
      await stopInterest(tx, stopRequestOf(params.recollection_case_id, body))
      return null
    },
  },

  resumeCaseInterest: {
    check,
    handle: async (tx, { params, body }) => {
      await resumeInterest(tx, stopRequestOf(params.recollection_case_id, body))
      return null
    },
  },
}
