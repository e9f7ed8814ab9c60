/** On which days orders are handed over and executed. Pure. */
import { addTargetDays, isTargetDay, onOrAfterTargetDay } from '../../../platform/kit/calendar.ts'
import { type Day, max, momentOf, parisDay } from '../../../platform/kit/dates.ts'
import type { Scheme } from '../../bank-files/index.ts'
import type { FileBankProfile } from './order-file.ts'

/** Until when the bank takes orders on the last day for them: Paris times like 15:30. */
export interface CutOffs {
  readonly transfer: string
  readonly debit: string
}

type LeadDays = FileBankProfile['debit_lead_days']

/** The TARGET day that an order handed over at `now` counts for. */
export function handOverDay(now: Date, cutOff: string): Day {
  const today = parisDay(now)
  const [hour, minute] = cutOff.split(':').map(Number)
  return isTargetDay(today) && now < momentOf(today, hour!, minute)
    ? today
    : addTargetDays(today, 1)
}

/** When an order is executed, and when the bank must have it for that. A transfer has no scheme. */
export function datesOf(
  scheme: Scheme | null,
  requested_on: Day,
  leadDays: LeadDays,
): { execute_on: Day; hand_over_on: Day } {
  const execute_on = onOrAfterTargetDay(requested_on)
  const hand_over_on = scheme ? addTargetDays(execute_on, -leadDays[scheme]) : execute_on
  return { execute_on, hand_over_on }
}

/** Orders to hand over until `until` are due. If that is late, they are executed on `first_on`. */
interface DueTerms {
  readonly until: Day
  readonly first_on: Day
}

export interface Due {
  readonly transfers: DueTerms
  readonly debits: Readonly<Record<Scheme, DueTerms>>
}

export function dueAt(now: Date, cutOffs: CutOffs, leadDays: LeadDays): Due {
  const [transfers, debits] = [handOverDay(now, cutOffs.transfer), handOverDay(now, cutOffs.debit)]
  const ofScheme = (scheme: Scheme) => ({
    until: debits,
    first_on: addTargetDays(debits, leadDays[scheme]),
  })
  return {
    transfers: { until: transfers, first_on: transfers },
    debits: { CORE: ofScheme('CORE'), B2B: ofScheme('B2B') },
  }
}

/** Implements `Bank.payoutDay`. The earlier of the two cut-offs counts. */
export function payoutDay(requested: Day, now: Date, cutOff: string, { transfer }: CutOffs): Day {
  const earlier = cutOff < transfer ? cutOff : transfer
  return onOrAfterTargetDay(max(requested, handOverDay(now, earlier)))
}
