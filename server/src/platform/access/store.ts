/**
 * The only SQL that writes partners (except their exposure), operators, callers and keys. All but
 * partners use real time, not business time.
 */
import type { Scope, Version } from '@headroom/contract'
import { type Insertable, sql, type Updateable } from 'kysely'
import { queryRepeatable, recordWriteRefusal } from '../db/connect.ts'
import { enterNames } from '../db/directory.ts'
import { insertInto } from '../db/insert.ts'
import type { RowKey } from '../db/of-partner.ts'
import type { DB } from '../db/schema.ts'
import { type Database, queryBuilder, type Tx } from '../db/transaction.ts'
import { assert } from '../kit/assert.ts'
import { isUuid } from '../kit/ids.ts'

export async function insertPartner(tx: Tx, row: Insertable<DB['partners']>): Promise<void> {
  await tx.run(insertInto('partners', [row]))
}

export type PartnerSettings = Pick<
  Updateable<DB['partners']>,
  'invoice_review' | 'people_need_decisions'
>

/** Returns false when there is no such partner. */
export async function updatePartner(
  tx: Tx,
  partner_id: string,
  settings: PartnerSettings,
): Promise<boolean> {
  const update = queryBuilder.updateTable('partners').set(settings).where('id', '=', partner_id)
  return (await tx.run(update)) === 1
}

export interface OperatorRow {
  readonly id: string
  readonly email: string
  readonly password_hash: string
  readonly role: string
  readonly partner_id: string | null
}

/** Returns false when the email is taken. */
export async function insertOperator(tx: Tx, row: OperatorRow): Promise<boolean> {
  const inserted = await tx.run(sql`
    insert into operators (id, email, role, partner_id, created_at)
    values (${row.id}, ${row.email}, ${row.role}, ${row.partner_id}, now())
    on conflict (email) do nothing`)
  if (inserted === 0) return false
  await tx.run(sql`
    insert into operator_secrets (operator_id, password_hash)
    values (${row.id}, ${row.password_hash})`)
  return true
}

export async function setDisabled(tx: Tx, id: string, disabled: boolean): Promise<void> {
  const disabled_at = disabled ? sql`coalesce(disabled_at, now())` : sql`null`
  await tx.run(sql`update operators set disabled_at = ${disabled_at} where id = ${id}`)
}

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
  enterNames(tx, 'key', [row], key => key.hash)
  await tx.run(sql`
    insert into keys
      (id, partner_id, caller_id, prefix, hash, scopes, version, created_at, rotated_from)
    values (${row.id}, ${row.partner_id}, ${row.caller_id}, ${row.prefix}, ${row.hash},
      ${row.scopes}::text[], ${row.version}, now(), ${row.rotated_from})`)
}

/** Expires a key after `hours`, or at its existing expiry if that is earlier. */
export async function expireKey(tx: Tx, partner_id: string, id: string, hours: number) {
  await tx.run(sql`
    update keys set expires_at = least(expires_at, now() + make_interval(hours => ${hours}))
    where id = ${id} and partner_id = ${partner_id}`)
}

/** Revokes a key now; an already revoked key keeps its timestamp. */
export async function markRevoked(tx: Tx, partner_id: string, id: string): Promise<void> {
  await tx.run(sql`
    update keys set revoked_at = coalesce(revoked_at, now())
    where id = ${id} and partner_id = ${partner_id}`)
}

/**
 * Records a key's use, unless another request is doing so. Callers limit this to once a minute.
 * Ignores refused writes, since a full or read-only database can still serve reads.
 */
export async function noteUse({ pool }: Database, { partner_id, id }: RowKey): Promise<void> {
  assert(isUuid(partner_id) && isUuid(id), 'a key has an id')
  // Statements sent in one message form one transaction, to which the setting applies.
  const noted = queryRepeatable(pool, {
    text: `select set_config('headroom.partners', '${partner_id}', true);
      update keys set last_used_at = now() where partner_id = '${partner_id}' and id in (
        select id from keys where partner_id = '${partner_id}' and id = '${id}'
        for no key update skip locked)`,
  })
  await noted.catch(error => {
    if (!recordWriteRefusal(pool, error)) throw error
  })
}

/** Returns the caller that represents an operator at a partner, creating it on first use. */
export async function insertOperatorCaller(
  tx: Tx,
  partner_id: string,
  { operator_id, email }: { readonly operator_id: string; readonly email: string },
): Promise<string> {
  const known = sql<{ id: string }>`
    select id from callers where partner_id = ${partner_id} and operator_id = ${operator_id}`
  const found = await tx.maybe(known)
  if (found) return found.id
  await tx.run(sql`
    insert into callers (id, partner_id, name, actor, created_at, operator_id)
    values (${tx.newId()}, ${partner_id}, ${email}, 'human', now(), ${operator_id})
    on conflict (partner_id, operator_id) where operator_id is not null do nothing`)
  return (await tx.one(known)).id
}
