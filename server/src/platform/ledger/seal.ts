/** Chains committed entries by hash, in order, so that any later change can be detected. */

import { type RawBuilder, sql } from 'kysely'
import { tryExclusive } from '../db/locks.ts'
import { LENDER, nullForLender } from '../db/of-partner.ts'
import type { Tx } from '../db/transaction.ts'
import { canonicalJson, sha256 } from '../kit/crypto.ts'
import { storedPartner } from '../kit/ids.ts'
import { turnoversOf } from './balances.ts'
import { FIRST_DAY } from './lender-balance.ts'

export const CHAIN_START = '0'.repeat(64)
const BATCH = 2000

export interface SealedEntry {
  id: string
  kind: string
  value_on: string
  /** Microseconds since 1970 as text, independent of time zones. */
  booked: string
  partner_id: string | null
  loan_id: string | null
  payment_id: string | null
  bill_id: string | null
  postings: { account_id: string; amount: string; bank_booked_on?: string }[]
}

/**
 * An entry with its postings, as they are hashed. Entries of the lender are hashed with a null
 * partner, because the oldest seals were computed that way. Postings without a booking date of the
 * bank are hashed without one, as they were before cash had it.
 */
export const hashedEntry = sql`
  e.id, e.kind, e.value_on, (extract(epoch from e.booked_at) * 1000000)::bigint::text as booked,
  ${nullForLender('e.partner_id')} as partner_id, e.loan_id,
  e.payment_id, e.bill_id,
  (select json_agg(json_strip_nulls(json_build_object('account_id', p.account_id,
    'amount', p.amount::text, 'bank_booked_on', p.bank_booked_on)) order by p.line)
    from ledger_postings p
    where p.partner_id = e.partner_id and p.entry_id = e.id) as postings`

export function sealHash(previous: string, entry: SealedEntry): string {
  const { id, kind, value_on, booked, postings } = entry
  const { partner_id, loan_id, payment_id, bill_id } = entry
  const about = { partner_id, loan_id, payment_id, bill_id }
  return sha256(canonicalJson({ previous, id, kind, value_on, booked, ...about, postings }))
}

/**
 * Seals at most one batch of committed entries and returns how many. Only one sealer runs at a
 * time: returns 0 if another one holds the lock.
 */
export async function sealEntries(tx: Tx): Promise<number> {
  if (!(await tryExclusive(tx, 'seal'))) return 0
  const last = await tx.maybe(sql<{ position: bigint; hash: string }>`
    select position, hash from ledger_seals order by position desc limit 1`)
  const entries = await tx.all(sql<SealedEntry>`
    select ${hashedEntry}
    from (select * from ledger_unsealed order by entry_id limit ${BATCH}) u
    join ledger_entries e on e.partner_id = u.partner_id and e.id = u.entry_id
    order by u.entry_id`)
  let { position, hash } = last ?? { position: 0n, hash: CHAIN_START }
  const seals = entries.map(entry => {
    hash = sealHash(hash, entry)
    position += 1n
    return { position, partner_id: storedPartner(entry.partner_id), entry_id: entry.id, hash }
  })
  if (seals.length === 0) return 0
  const [partner_ids, entry_ids] = [seals.map(s => s.partner_id), seals.map(s => s.entry_id)]
  await tx.run(sql`
    insert into ledger_seals (position, partner_id, entry_id, hash)
    select * from unnest(${seals.map(s => s.position)}::bigint[], ${partner_ids}::uuid[],
      ${entry_ids}::uuid[], ${seals.map(s => s.hash)}::text[])`)
  const sealed = sql`(select * from unnest(${partner_ids}::uuid[], ${entry_ids}::uuid[])
    as n (partner_id, entry_id))`
  await tx.run(sql`
    insert into ledger_sealed_balances as b (partner_id, account_id, amount)
    select a.partner_id, a.id, sum(p.amount)
    from ${sealed} n
    join ledger_postings p on p.partner_id = n.partner_id and p.entry_id = n.entry_id
    join ledger_accounts a on a.partner_id = ${LENDER} and a.id = p.account_id
    group by a.partner_id, a.id
    on conflict (partner_id, account_id) do update set amount = b.amount + excluded.amount`)
  await tx.run(sql`
    insert into ledger_cash_days as d (partner_id, account_id, booked_on, amount)
    ${cashDaysOf(sealed)}
    on conflict (partner_id, account_id, booked_on)
      do update set amount = d.amount + excluded.amount`)
  await tx.run(sql`
    insert into ledger_turnovers as t (booked_on, value_on, partner_id, code, debit, credit)
    ${turnoversOf(sealed)}
    on conflict (partner_id, booked_on, value_on, code)
      do update set debit = t.debit + excluded.debit, credit = t.credit + excluded.credit`)
  await tx.run(sql`
    delete from ledger_unsealed u using ${sealed} n
    where u.partner_id = n.partner_id and u.entry_id = n.entry_id`)
  return seals.length
}

/**
 * The cash moved by a table or query of entries (partner_id, entry_id), as rows (partner_id,
 * account_id, booked_on, amount).
 */
export function cashDaysOf(entries: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select a.partner_id, a.id, coalesce(p.bank_booked_on, ${FIRST_DAY}) as booked_on,
      sum(p.amount)::bigint as amount
    from ${entries} n
    join ledger_postings p on p.partner_id = n.partner_id and p.entry_id = n.entry_id
    join ledger_accounts a on a.partner_id = ${LENDER} and a.id = p.account_id
      and a.code = 'bank_cash'
    group by 1, 2, 3`
}
