/** Looks up transitions in the contract's state machines. Pure. */
import type { Machine } from '@headroom/contract'

/** The status that `trigger` leads to from `status`, or null if there is no such transition. */
export function next<S extends string, T extends string>(
  machine: Machine<S, T>,
  status: S,
  trigger: T,
): S | null {
  const step = machine.transitions.find(t => t.from === status && t.trigger === trigger)
  return step?.to ?? null
}

export function triggersFrom<S extends string, T extends string>(
  machine: Machine<S, T>,
  status: S,
): T[] {
  return machine.transitions.filter(t => t.from === status).map(t => t.trigger)
}
