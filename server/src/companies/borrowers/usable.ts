/** Which borrowers may still be changed. */
import { problem } from '../../platform/kit/problem.ts'
import type { BorrowerRow } from './store.ts'

/** Throws `state_conflict` for a borrower that is closed for good. */
export function assertUsable(borrower: BorrowerRow): void {
  if (borrower.status === 'DEACTIVATED' || borrower.status === 'PROHIBITED') {
    throw problem('state_conflict', `The borrower is ${borrower.status} and cannot be changed.`)
  }
}
