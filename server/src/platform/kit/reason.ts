/** The words in which one of the lender's people says why something is done. */
import type { InvalidParam } from './problem.ts'

const REASON_MAX = 500

/** What is wrong with a reason: blanks alone are none. */
export function reasonFaults(reason: string): InvalidParam[] {
  if (reason.trim() !== '' && reason.length <= REASON_MAX) return []
  return [{ name: 'reason', reason: `is missing, or longer than ${REASON_MAX} characters` }]
}
