/** A step of an onboarding: the person who signs for the company. */
import { FaultCollector, readRepresentative } from '../../companies/borrowers/index.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { lockOpen, type Representative, setRepresentative } from './store.ts'

/**
 * Stores the person in the session. Throws `request_invalid` for an invalid birth date or country,
 * and `state_conflict` if the session is not open.
 */
export async function nameRepresentative(
  tx: Tx,
  onboarding: RowKey,
  who: Representative,
): Promise<void> {
  await lockOpen(tx, onboarding)
  const faults = new FaultCollector()
  const read = readRepresentative(who, tx.today, faults)
  faults.throwAny()
  await setRepresentative(tx, onboarding, read)
}
