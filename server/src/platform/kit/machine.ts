/** What a state machine allows: pure questions to the tables of the contract. */
import type { Machine } from '@headroom/contract'

/** The status `trigger` leads to from `status`, or null when the machine has no such step. */
export function next<S extends string, T extends string>(
  machine: Machine<S, T>,
  status: S,
  trigger: T,
): S | null {
  const step = machine.transitions.find(t => t.from === status && t.trigger === trigger)
  return step?.to ?? null
}

/** The triggers that a thing in `status` can take. */
export function triggersFrom<S extends string, T extends string>(
  machine: Machine<S, T>,
  status: S,
): T[] {
  return machine.transitions.filter(t => t.from === status).map(t => t.trigger)
}
