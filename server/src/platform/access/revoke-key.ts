/** Revokes a key immediately: the next request that uses it is refused. */
import type { Key } from '@headroom/contract'
import type { Tx } from '../db/transaction.ts'
import type { Caller } from './caller.ts'
import { lockKey, readKey } from './queries.ts'
import { requireScopes } from './rules.ts'
import { markRevoked } from './store.ts'
import { recordAudit } from './store-audit.ts'

/**
 * Revokes a key of the caller's partner; calling it again has no effect. Throws `resource_unknown`,
 * or `scope_missing` for a key with a scope that the caller lacks.
 */
export async function revokeKey(tx: Tx, caller: Caller, key_id: string): Promise<Key> {
  const { partner_id } = caller
  const { revoked_at, scopes } = await lockKey(tx, partner_id, key_id)
  requireScopes(caller, scopes)
  if (revoked_at === null) {
    await markRevoked(tx, partner_id, key_id)
    await recordAudit(tx, {
      act: 'revoke',
      resource: 'key',
      resource_id: key_id,
      partner_id,
    })
  }
  return readKey(tx, partner_id, key_id)
}
