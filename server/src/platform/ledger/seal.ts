/** Chains committed entries by hash, in order, so that any later change can be detected. */

import { sql } from 'kysely'
import { tryExclusive } from '../db/locks.ts'
import { nullForLender } from '../db/of-partner.ts'
import type { Tx } from '../db/transaction.ts'
import { canonicalJson, sha256 } from '../kit/crypto.ts'
import { turnoversOf } from './balances.ts'

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
  postings: { account_id: string; amount: string }[]
}

/**
 * An entry with its postings, as they are hashed. Entries of the lender are hashed with a null
 * partner, because the oldest chains contain them that way.
 */
export const hashedEntry = sql`
  e.id, e.kind, e.value_on, (extract(epoch from e.booked_at) * 1000000)::bigint::text as booked,
  ${nullForLender('e.partner_id')} as partner_id, e.loan_id,
  e.payment_id, e.bill_id,
  (select json_agg(json_build_object('account_id', p.account_id, 'amount', p.amount::text)
    order by p.line) from ledger_postings p where p.entry_id = e.id) as postings`

export function sealHash(previous: string, entry: SealedEntry): string {
  const { id, kind, value_on, booked, postings } = entry
  const { partner_id, loan_id, payment_id, bill_id } = entry
  const about = { partner_id, loan_id, payment_id, bill_id }
  return sha256(canonicalJson({ previous, id, kind, value_on, booked, ...about, postings }))
}

/**
 * Seals committed entries, up to a batch; returns how many. Only one sealer runs at a time: if
 * another holds the lock, returns 0.
 */
export async function sealEntries(tx: Tx): Promise<number> {
  if (!(await tryExclusive(tx, 'seal'))) return 0
  const last = await tx.maybe(sql<{ position: bigint; hash: string }>`
    select position, hash from ledger_seals order by position desc limit 1`)
  const entries = await tx.all(sql<SealedEntry>`
    select ${hashedEntry} from ledger_unsealed u join ledger_entries e on e.id = u.entry_id
    order by u.entry_id limit ${BATCH}`)
  let { position, hash } = last ?? { position: 0n, hash: CHAIN_START }
  const seals = entries.map(entry => {
    hash = sealHash(hash, entry)
    position += 1n
    return { position, entry_id: entry.id, hash }
  })
  if (seals.length === 0) return 0
  await tx.run(sql`
    insert into ledger_seals (position, entry_id, hash)
    select * from unnest(${seals.map(s => s.position)}::bigint[],
      ${seals.map(s => s.entry_id)}::uuid[], ${seals.map(s => s.hash)}::text[])`)
  const sealed = seals.map(s => s.entry_id)
  await tx.run(sql`
    insert into ledger_sealed_balances as b (account_id, amount)
    select p.account_id, sum(p.amount) from ledger_postings p
    join ledger_accounts a on a.id = p.account_id and a.owner_id is null
    where p.entry_id = any(${sealed}::uuid[]) group by p.account_id
    on conflict (account_id) do update set amount = b.amount + excluded.amount`)
  await tx.run(sql`
    insert into ledger_turnovers as t (booked_on, value_on, partner_id, code, debit, credit)
    ${turnoversOf(sql`select unnest(${sealed}::uuid[])`)}
    on conflict (partner_id, booked_on, value_on, code)
      do update set debit = t.debit + excluded.debit, credit = t.credit + excluded.credit`)
  await tx.run(sql`
    delete from ledger_unsealed where entry_id = any(${sealed}::uuid[])`)
  return seals.length
}
