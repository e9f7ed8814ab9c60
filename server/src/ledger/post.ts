/** The only writer of the books. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { assert } from '../kit/assert.ts'
import type { Day } from '../kit/dates.ts'
import type { EntryKind, Posting } from './entries.ts'

export interface Entry {
  kind: EntryKind
  value_on: Day
  postings: readonly Posting[]
  partner_id?: string | null
  loan_id?: string | null
  payment_id?: string | null
  bill_id?: string | null
}

/**
 * Posts entries, set-wise. An entry without postings (a fact that moved no money) is left out.
 * The caller guards against repeats: posting twice books twice.
 */
export async function post(tx: Tx, entries: readonly Entry[]): Promise<void> {
  const booked = entries.filter(e => e.postings.length > 0).map(e => ({ ...e, id: tx.newId() }))
  if (booked.length === 0) return
  const accounts = await accountIds(
    tx,
    booked.flatMap(e => e.postings),
  )
  await tx.run(sql`
    with entry as (insert into ledger_entries
      (id, kind, partner_id, loan_id, payment_id, bill_id, value_on, booked_at)
    select e.id, e.kind, e.partner_id, e.loan_id, e.payment_id, e.bill_id, e.value_on, ${tx.now}
    from unnest(${booked.map(e => e.id)}::uuid[], ${booked.map(e => e.kind)}::text[],
      ${booked.map(e => e.partner_id ?? null)}::uuid[],
      ${booked.map(e => e.loan_id ?? null)}::uuid[],
      ${booked.map(e => e.payment_id ?? null)}::uuid[],
      ${booked.map(e => e.bill_id ?? null)}::uuid[],
      ${booked.map(e => e.value_on)}::date[])
      as e (id, kind, partner_id, loan_id, payment_id, bill_id, value_on)
    returning id)
    insert into ledger_unsealed (entry_id) select id from entry`)
  const rows = booked.flatMap(e =>
    e.postings.map((p, line) => ({ entry_id: e.id, line, amount: p.amount, p })),
  )
  const ids = rows.map(r => accounts.get(accountKey(r.p))!)
  await tx.run(sql`
    with posted as (
      insert into ledger_postings (entry_id, line, account_id, amount)
      select * from unnest(${rows.map(r => r.entry_id)}::uuid[], ${rows.map(r => r.line)}::int[],
        ${ids}::uuid[], ${rows.map(r => r.amount)}::bigint[])
      returning account_id, amount
    )
    insert into ledger_balances (account_id, amount)
    select p.account_id, sum(p.amount) from posted p
    join ledger_accounts a on a.id = p.account_id and a.owner_id is not null
    group by p.account_id order by p.account_id
    on conflict (account_id) do update set amount = ledger_balances.amount + excluded.amount`)
}

function accountKey(p: { code: string; owner_id: string | null }): string {
  return `${p.code}/${p.owner_id ?? ''}`
}

/** Ids of the accounts, made where they are new. */
async function accountIds(tx: Tx, postings: Posting[]): Promise<Map<string, string>> {
  const wanted = [...new Map(postings.map(p => [accountKey(p), p])).values()]
  const codes = wanted.map(p => p.code)
  const owners = wanted.map(p => p.owner_id)
  // In two halves: no index serves "is not distinct from", among the accounts of all loans.
  const select = sql<{ id: string; code: string; owner_id: string | null }>`
    select a.id, a.code, a.owner_id
    from unnest(${codes}::text[], ${owners}::uuid[]) as w (code, owner_id)
    join ledger_accounts a on a.code = w.code and a.owner_id = w.owner_id
    union all
    select id, code, owner_id from ledger_accounts
    where code = any(${codes.filter((_, i) => owners[i] === null)}::text[]) and owner_id is null`
  let found = await tx.all(select)
  if (found.length < wanted.length) {
    await tx.run(sql`
      insert into ledger_accounts (id, code, owner_id)
      select * from unnest(${wanted.map(() => tx.newId())}::uuid[], ${codes}::text[],
        ${owners}::uuid[])
      on conflict (code, owner_id) do nothing`)
    found = await tx.all(select)
  }
  assert(found.length === wanted.length, 'every posting has its account')
  return new Map(found.map(a => [accountKey(a), a.id]))
}
