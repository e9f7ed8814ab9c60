/** Ends a key at once: the next request that sends it is refused. */
import type { Key } from '@headroom/contract'
import type { Tx } from '../db/transaction.ts'
import type { Caller } from './caller.ts'
import { lockKey, readKey } from './queries.ts'
import { markRevoked } from './store.ts'

/** Revokes a key of the caller's partner; doing it twice changes nothing. */
export async function revokeKey(tx: Tx, caller: Caller, key_id: string): Promise<Key> {
  await lockKey(tx, caller.partner_id, key_id)
  await markRevoked(tx, caller.partner_id, key_id)
  return readKey(tx, caller.partner_id, key_id)
}
