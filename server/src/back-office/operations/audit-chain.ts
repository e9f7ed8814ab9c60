/**
 * Seals the audit trail with a hash chain, slice by slice, so that later changes are detected. A
 * row is sealed once no running transaction can still insert a row before it. Writers never wait.
 */

import { type RawBuilder, sql } from 'kysely'
import { tryExclusive } from '../../platform/db/locks.ts'
import { nullForLender } from '../../platform/db/of-partner.ts'
import { BEFORE_ALL_IDS } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { sha256 } from '../../platform/kit/crypto.ts'

const CHAIN_START = '0'.repeat(64)
const SLICE = 10_000
/** An upper bound for the difference between the clocks of the processes and the database. */
const CLOCKS_DIFFER_MS = 60_000

/** Null for the lender, because the first seals were computed when its rows had no partner. */
const PARTNER = nullForLender('partner_id')

/** The hashed columns of each table; columns added later must not be included. */
const RECORDS = {
  state_changes: sql`row(id, ${PARTNER}, resource, resource_id, from_status, to_status, trigger,
    reason, actor, extract(epoch from at))`,
  acts: sql`row(id, ${PARTNER}, actor, act, resource, resource_id, reason,
    extract(epoch from at))`,
  decision_attempts: sql`row(id, partner_id, decision_id, step, caller_id, key_id, operation,
    method, path, outcome, code, request_id, extract(epoch from at))`,
  product_changes: sql`row(id, product_id, changed_by, reason, before, after,
    extract(epoch from changed_at))`,
} satisfies Record<string, RawBuilder<unknown>>

export type AuditRecord = keyof typeof RECORDS
export const AUDIT_RECORDS = Object.keys(RECORDS) as AuditRecord[]

interface Slice {
  readonly rows: number
  readonly to_id: string | null
  /** The first eight bytes of each row's hash, in hex. */
  readonly marks: string | null
  readonly content: string | null
}

/** Aggregates a slice of a table, in order of id: its row count, last id and hashes. */
function sliceOf(record: AuditRecord, where: RawBuilder<unknown>): RawBuilder<Slice> {
  return sql<Slice>`
    select count(*)::int as rows, (array_agg(id order by id desc))[1] as to_id,
      encode(string_agg(substring(hash for 8), ''::bytea order by id), 'hex') as marks,
      encode(sha256(string_agg(hash, ''::bytea order by id)), 'hex') as content
    from (select id, sha256(convert_to(${RECORDS[record]}::text, 'UTF8')) as hash
      from ${sql.table(record)} where ${where}) r`
}

export interface AuditSeal {
  readonly position: bigint
  /** The slice starts after `from_id` and ends with `to_id`. */
  readonly from_id: string
  readonly to_id: string
  readonly hash: string
  readonly marks: string
  readonly now_marks: string
  readonly now_content: string | null
}

/**
 * The seals after `last`, in order, each with the current state of its slice. Read in pages,
 * because a table can have very many seals.
 */
export function readSeals(
  tx: Tx,
  record: AuditRecord,
  last: Pick<AuditSeal, 'position' | 'to_id'>,
  limit: number,
) {
  return tx.all(sql<AuditSeal>`
    with seals as (
      select position, lag(to_id, 1, ${last.to_id}::uuid) over (order by position) as from_id,
        to_id, hash, marks from audit_seals
      where record = ${record} and position > ${last.position} order by position limit ${limit})
    select s.position, s.from_id, s.to_id, s.hash, encode(s.marks, 'hex') as marks,
      coalesce(n.marks, '') as now_marks, n.content as now_content
    from seals s cross join lateral
      (${sliceOf(record, sql`id > s.from_id and id <= s.to_id`)}) n
    order by s.position`)
}

export async function readIds(tx: Tx, record: AuditRecord, from: string, to: string) {
  const rows = await tx.all(sql<{ id: string }>`
    select id from ${sql.table(record)} where id > ${from} and id <= ${to} order by id`)
  return rows.map(row => row.id)
}

export const CHAIN_BEGINS: Pick<AuditSeal, 'position' | 'to_id' | 'hash'> = {
  position: 0n,
  to_id: BEFORE_ALL_IDS,
  hash: CHAIN_START,
}

export function chainHash(previous: string, content: string | null): string {
  return sha256(previous + content)
}

/**
 * Seals at most one slice per table. Returns true if any slice was full, because more rows may then
 * be waiting. Does nothing if another sealer holds the lock.
 */
export async function sealAudit(tx: Tx, clocks_differ_ms = CLOCKS_DIFFER_MS): Promise<boolean> {
  if (!(await tryExclusive(tx, 'audit_seal'))) return false
  const before = await firstOpenId(tx, clocks_differ_ms)
  let full = false
  for (const record of AUDIT_RECORDS) {
    const last = await lastSeal(tx, record)
    const range = sql`id > ${last.to_id} and id < ${before} order by id limit ${SLICE}`
    const slice = await tx.one(sliceOf(record, range))
    if (slice.rows === 0) continue
    full ||= slice.rows === SLICE
    const hash = chainHash(last.hash, slice.content)
    await tx.run(sql`
      insert into audit_seals (record, position, to_id, marks, hash)
      values (${record}, ${last.position + 1n}, ${slice.to_id}, decode(${slice.marks}, 'hex'),
        ${hash})`)
  }
  return full
}

async function lastSeal(tx: Tx, record: AuditRecord): Promise<typeof CHAIN_BEGINS> {
  const found = await tx.maybe(sql<typeof CHAIN_BEGINS>`
    select position, to_id, hash from audit_seals where record = ${record}
    order by position desc limit 1`)
  return found ?? CHAIN_BEGINS
}

/**
 * The lowest id that may still appear: ids carry the time of their transaction, and the oldest
 * running transaction is known. A hanging transaction delays only the seals.
 */
async function firstOpenId(tx: Tx, clocks_differ_ms: number): Promise<string> {
  const { ms } = await tx.one(sql<{ ms: bigint }>`
    select floor(extract(epoch from least(clock_timestamp(), (select min(xact_start)
      from pg_stat_activity where datname = current_database()))) * 1000)::bigint
      - ${clocks_differ_ms} as ms`)
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${BEFORE_ALL_IDS.slice(13)}`
}
