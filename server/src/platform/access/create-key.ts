/** Creates callers and issues their keys. */
import type { NewKey, Scope, Version } from '@headroom/contract'
import type { Tx } from '../db/transaction.ts'
import { randomToken, sha256 } from '../kit/crypto.ts'
import type { Caller } from './caller.ts'
import { readKey } from './queries.ts'
import { grantedScopes, requirePermissions } from './rules.ts'
import { insertCaller, insertKey } from './store.ts'
import { recordAudit } from './store-audit.ts'

export interface KeyInput {
  readonly name: string
  readonly actor: 'human' | 'agent'
  readonly scopes: readonly Scope[] | null
  readonly version: Version
}

/**
 * Creates a caller and its first key. The creator cannot grant more than it has (`scope_missing`).
 * Only this response contains the key itself.
 */
export async function createKey(tx: Tx, creator: Caller, input: KeyInput): Promise<NewKey> {
  const scopes = grantedScopes(creator, input.scopes)
  requirePermissions(creator, { actor: input.actor, scopes })
  return createCaller(tx, creator.partner_id, { ...input, scopes })
}

/** Creates a caller with its first key for a partner, without checking permissions. */
export async function createCaller(tx: Tx, partner_id: string, input: KeyInput): Promise<NewKey> {
  const caller_id = tx.newId()
  await insertCaller(tx, { id: caller_id, partner_id, name: input.name, actor: input.actor })
  const { scopes, version } = input
  return issueKey(tx, { partner_id, caller_id, scopes, version, rotated_from: null })
}

/** Enough characters to tell keys apart, leaving over 200 random bits secret. */
const SHOWN = 8

/** Issues a key for a caller: 256 random bits after a prefix with the deployment's mode. */
export async function issueKey(
  tx: Tx,
  holder: {
    readonly partner_id: string
    readonly caller_id: string
    readonly scopes: readonly Scope[] | null
    readonly version: Version
    readonly rotated_from: string | null
  },
): Promise<NewKey> {
  const id = tx.newId()
  const mark = `hr_${tx.settings.mode}_`
  const key = mark + randomToken(32)
  const prefix = key.slice(0, mark.length + SHOWN)
  await insertKey(tx, { ...holder, id, prefix, hash: sha256(key) })
  const { partner_id, rotated_from } = holder
  const act = rotated_from ? 'rotate' : 'create'
  await recordAudit(tx, { act, resource: 'key', resource_id: id, partner_id })
  return { ...(await readKey(tx, holder.partner_id, id)), key }
}
