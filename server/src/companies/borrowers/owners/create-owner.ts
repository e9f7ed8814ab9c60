/** Records the owner of a borrower. */
import type { Answer, Body } from '@headroom/contract'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { type InvalidParam, problem } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import { readBirthDate } from '../directors.ts'
import { FaultCollector } from '../faults.ts'
import { type BorrowerRow, setOwner } from '../store.ts'
import { documentFaults, keepDocuments } from './identity-documents.ts'

const CLOSED = ['DEACTIVATED', 'PROHIBITED']

/**
 * Replaces the current owner; documents of earlier owners are kept. Throws `state_conflict` if the
 * borrower is closed.
 */
export async function createOwner(
  tx: Tx,
  borrower: BorrowerRow,
  body: Body<'createOwner'>,
): Promise<Answer<'createOwner'>> {
  if (CLOSED.includes(borrower.status)) {
    throw problem('state_conflict', `The borrower is ${borrower.status}.`)
  }
  const email = body.email ?? borrower.business_email
  const id = tx.newId()
  await setOwner(tx, borrower, {
    id,
    first_name: body.first_name,
    last_name: body.last_name,
    birth_date: body.birth_date ?? null,
    email,
    phone_number: body.phone_number ?? null,
  })
  await keepDocuments(tx, borrower, body.identity_documents)
  return { id, email: email!, phone_number: body.phone_number ?? '' }
}

/**
 * Faults of a new owner. Requires an email if the borrower has no business email; skips that check
 * for an unknown borrower.
 */
export function ownerFaults(
  today: Day,
  borrower: BorrowerRow | undefined,
  body: WellFormed<Body<'createOwner'>>,
): readonly InvalidParam[] {
  const faults = new FaultCollector()
  readBirthDate(body.birth_date, 'birth_date', today, faults)
  if (borrower && !borrower.business_email && !body.email) {
    faults.add('email', 'is required, as the borrower has no business e-mail address')
  }
  return [...faults.found, ...documentFaults(body.identity_documents, 'identity_documents')]
}
