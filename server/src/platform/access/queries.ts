/** Reads keys, by id or as a page, and finds the holder of a key by its hash. */
import type { Key, Scope, Version } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { queryRepeatable } from '../db/connect.ts'
import { newestFirst, type Page, type PageRequest, readPage, viewPage } from '../db/page.ts'
import type { Database, Tx } from '../db/transaction.ts'
import { coalesceLookups } from '../kit/coalesce-lookups.ts'
import { perObject } from '../kit/per-object.ts'
import { problem } from '../kit/problem.ts'
import type { Caller } from './caller.ts'
import { scopeSet } from './rules.ts'
import { noteUse } from './store.ts'

interface Row {
  id: string
  partner_id: string
  caller_id: string
  name: string
  actor: 'human' | 'agent'
  prefix: string
  scopes: Scope[] | null
  version: Version
  created_at: Date
  last_used_at: Date | null
  expires_at: Date | null
  revoked_at: Date | null
}

const columns = sql`k.id, k.partner_id, k.caller_id, c.name, c.actor, k.prefix, k.scopes,
  k.version, k.created_at, k.last_used_at, k.expires_at, k.revoked_at`
const tables = sql`keys k
  join callers c on c.partner_id = k.partner_id and c.id = k.caller_id`

function toKey(row: Row): Key {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    caller: { id: row.caller_id, name: row.name },
    actor: row.actor,
    scopes: row.scopes,
    version: row.version,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  }
}

/** A partner's key in its wire form. Throws `resource_unknown`. */
export async function readKey(tx: Tx, partner_id: string, id: string): Promise<Key> {
  const row = await tx.maybe(sql<Row>`
    select ${columns} from ${tables} where k.id = ${id} and k.partner_id = ${partner_id}`)
  if (!row) throw problem('resource_unknown', `There is no key ${id}.`)
  return toKey(row)
}

/**
 * Reads a partner's key and locks it until the commit, so that rotations and revocations of the
 * key run one after the other. Throws `resource_unknown`.
 */
export async function lockKey(tx: Tx, partner_id: string, id: string): Promise<Key> {
  await tx.run(sql`
    select from keys where id = ${id} and partner_id = ${partner_id} for no key update`)
  return readKey(tx, partner_id, id)
}

/** A page of a partner's keys, newest first, including expired and revoked ones. */
export async function readKeys(
  tx: Tx,
  partner_id: string,
  request: PageRequest,
): Promise<Page<Key>> {
  const select = (where: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql<Row>`
    select ${columns}, ${key} from ${tables} where k.partner_id = ${partner_id} and ${where}`
  const page = await readPage(tx, request, newestFirst(sql`k.id`), select)
  return viewPage(page, toKey)
}

export interface KeyHolder extends Caller {
  readonly partner_suspended: boolean
  /** Whether the partner's human callers, like agents, need a decision for gated operations. */
  readonly people_need_decisions: boolean
}

type HolderRow = Omit<KeyHolder, 'scopes'> & {
  hash: string
  scopes: Scope[] | null
  use_unseen: boolean
}

const finderOf = perObject((database: Database) =>
  coalesceLookups(hashes => lookUpHolders(database, hashes)),
)

/**
 * The holder of the key with this hash, or null if no valid key has it. Looks across all partners,
 * since the partner is not yet known.
 */
export function findHolder(database: Database, hash: string): Promise<KeyHolder | null> {
  return finderOf(database)(hash)
}

async function lookUpHolders(
  database: Database,
  hashes: readonly string[],
): Promise<Map<string, KeyHolder>> {
  const rows = await queryRepeatable<HolderRow>(database.pool, {
    name: 'key_holders',
    text: 'select k.hash, h.* from unnest($1::text[]) as k (hash), key_holder(k.hash) as h',
    values: [hashes],
  })
  const holders = rows.map(async ({ hash, use_unseen, scopes, ...holder }) => {
    if (use_unseen && holder.key_id) {
      await noteUse(database, { partner_id: holder.partner_id, id: holder.key_id })
    }
    return [hash, { ...holder, scopes: scopeSet(scopes), borrower_id: null }] as const
  })
  return new Map(await Promise.all(holders))
}
