/** Whether the contract's state machines allow a transition, and why not. */
import { machines } from 'virtual:contract'
import type { MachineName, Status, Trigger } from '@headroom/contract'
import { words } from './format.ts'

/**
 * Null if the status allows one of the triggers; otherwise a sentence with the statuses that do.
 */
export function blockedReason<M extends MachineName>(
  name: M,
  status: Status<M> | string,
  ...triggers: Trigger<M>[]
): string | null {
  const ways = machines[name].transitions.filter(({ trigger }) =>
    triggers.includes(trigger as Trigger<M>),
  )
  if (ways.some(({ from }) => from === status)) return null
  const from = [...new Set(ways.map(way => words(way.from)))]
  const when = new Intl.ListFormat('en', { type: 'disjunction' }).format(from)
  return `Available when the status is ${when}. It is ${words(status)}.`
}

export function statusesOf(name: MachineName): readonly string[] {
  return machines[name].statuses
}
