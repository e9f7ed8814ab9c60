/** A step of an onboarding: who signs for the company. */
import type { Tx } from '../db/transaction.ts'
import { lockOpen, type Representative, setRepresentative } from './store.ts'

/** Kept with the session; whether its data are right is checked when the terms are accepted. */
export async function nameRepresentative(
  tx: Tx,
  onboarding_id: string,
  who: Representative,
): Promise<void> {
  await lockOpen(tx, onboarding_id)
  await setRepresentative(tx, onboarding_id, who)
}
