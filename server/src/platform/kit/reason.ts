/** The reason an operator gives for a decision. */
import type { InvalidParam } from './problem.ts'

const REASON_MAX = 500

export function reasonFaults(reason: string): InvalidParam[] {
  if (reason.trim() !== '' && reason.length <= REASON_MAX) return []
  return [{ name: 'reason', reason: `is missing, or longer than ${REASON_MAX} characters` }]
}
