/** Refuses changes to a closed borrower. */
import { problem } from '../../platform/kit/problem.ts'
import type { BorrowerRow } from './store.ts'

/** Throws `state_conflict` if the borrower is closed for good. */
export function assertNotClosed(borrower: BorrowerRow): void {
  if (borrower.status === 'DEACTIVATED' || borrower.status === 'PROHIBITED') {
    throw problem('state_conflict', `The borrower is ${borrower.status} and cannot be changed.`)
  }
}
