/** The only SQL that writes callers and keys. Keys live in real time, not in business time. */
import type { Scope, Version } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'

export interface CallerRow {
  readonly id: string
  readonly partner_id: string
  readonly name: string
  readonly actor: 'human' | 'agent'
}

export async function insertCaller(tx: Tx, row: CallerRow): Promise<void> {
  await tx.run(sql`
    insert into callers (id, partner_id, name, actor, created_at)
    values (${row.id}, ${row.partner_id}, ${row.name}, ${row.actor}, now())`)
}

export interface KeyRow {
  readonly id: string
  readonly partner_id: string
  readonly caller_id: string
  readonly prefix: string
  readonly hash: string
  readonly scopes: readonly Scope[] | null
  readonly version: Version
  readonly rotated_from: string | null
}

export async function insertKey(tx: Tx, row: KeyRow): Promise<void> {
  await tx.run(sql`
    insert into keys
      (id, partner_id, caller_id, prefix, hash, scopes, version, created_at, rotated_from)
    values (${row.id}, ${row.partner_id}, ${row.caller_id}, ${row.prefix}, ${row.hash},
      ${row.scopes}::text[], ${row.version}, now(), ${row.rotated_from})`)
}

/** Lets a key end after `hours`, or earlier if it already was to. */
export async function expireKey(tx: Tx, partner_id: string, id: string, hours: number) {
  await tx.run(sql`
    update keys set expires_at = least(expires_at, now() + make_interval(hours => ${hours}))
    where id = ${id} and partner_id = ${partner_id}`)
}

/** Ends a key now; one that is revoked already keeps its moment. */
export async function markRevoked(tx: Tx, partner_id: string, id: string): Promise<void> {
  await tx.run(sql`
    update keys set revoked_at = coalesce(revoked_at, now())
    where id = ${id} and partner_id = ${partner_id}`)
}
