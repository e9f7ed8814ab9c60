/** Replaces a key: the caller stays the same, and the old key remains valid for a while. */
import type { NewKey } from '@headroom/contract'
import type { Tx } from '../db/transaction.ts'
import { problem } from '../kit/problem.ts'
import type { Caller } from './caller.ts'
import { issueKey } from './create-key.ts'
import { lockKey } from './queries.ts'
import { requirePermissions, requireScopes } from './rules.ts'
import { expireKey } from './store.ts'

/**
 * Issues a new key with the old one's permissions; the old key expires after `overlap_hours`.
 * Throws `resource_unknown`, `state_conflict` when the old key was revoked or already replaced, and
 * `scope_missing` when it has permissions that the caller cannot grant.
 */
export async function rotateKey(
  tx: Tx,
  caller: Caller,
  key_id: string,
  overlap_hours: number,
): Promise<NewKey> {
  const old = await lockKey(tx, caller.partner_id, key_id)
  if (old.caller.id === caller.caller_id) requireScopes(caller, old.scopes)
  else requirePermissions(caller, old)
  if (old.revoked_at) throw problem('state_conflict', `The key was revoked at ${old.revoked_at}.`)
  if (old.expires_at) {
    throw problem('state_conflict', `The key was replaced; it ends at ${old.expires_at}.`)
  }
  await expireKey(tx, caller.partner_id, key_id, overlap_hours)
  return issueKey(tx, {
    partner_id: caller.partner_id,
    caller_id: old.caller.id,
    scopes: old.scopes,
    version: old.version,
    rotated_from: key_id,
  })
}
