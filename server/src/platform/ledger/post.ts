/** The only writer of the books. */
import { sql } from 'kysely'
import { LENDER } from '../db/of-partner.ts'
import { ConcurrentInsertError, type Tx } from '../db/transaction.ts'
import { assert } from '../kit/assert.ts'
import type { Day } from '../kit/dates.ts'
import { LENDER_ID } from '../kit/ids.ts'
import { isOfLender } from './chart.ts'
import type { EntryKind, Posting } from './entries.ts'

export interface Entry {
  kind: EntryKind
  value_on: Day
  postings: readonly Posting[]
  /** `LENDER_ID` for an entry of the lender. */
  partner_id: string
  loan_id?: string | null
  payment_id?: string | null
  bill_id?: string | null
}

/**
 * Posts entries set-wise. Skips entries without postings, which move no money. Callers must guard
 * against repeats: posting twice books twice.
 */
export async function post(tx: Tx, entries: readonly Entry[]): Promise<void> {
  const booked = entries.filter(e => e.postings.length > 0).map(e => ({ ...e, id: tx.newId() }))
  if (booked.length === 0) return
  // Few entries usually need no new account, so try without. Large batches usually need some.
  if (booked.length <= SMALL_BATCH && (await enter(tx, booked))) return
  await openAccounts(tx, booked)
  assert(await enter(tx, booked), 'every account is open')
}

const SMALL_BATCH = 20

type Booked = Entry & { readonly id: string }

/**
 * Writes entries with their postings and updates the balances of partners' accounts. Accounts are
 * those of the entry's partner, and the lender's own. Returns false without writing anything if an
 * account does not exist yet.
 */
async function enter(tx: Tx, booked: readonly Booked[]): Promise<boolean> {
  const rows = booked.flatMap(({ partner_id, id: entry_id, postings }) =>
    postings.map(({ code, owner_id, amount, bank_booked_on = null }, line) => {
      const holder_id = isOfLender(code) ? LENDER_ID : partner_id
      const is_cash = code === 'bank_cash'
      assert(is_cash === (bank_booked_on !== null), 'cash has the booking date of the bank')
      return { partner_id, entry_id, line, code, owner_id, amount, bank_booked_on, holder_id }
    }),
  )
  // Owned and lender accounts are joined separately, because "is not distinct from" cannot use an
  // index on the many loan accounts.
  const written = await tx.all(sql`
    with wanted as (select * from unnest(${rows.map(r => r.partner_id)}::uuid[],
        ${rows.map(r => r.entry_id)}::uuid[],
        ${rows.map(r => r.line)}::int[], ${rows.map(r => r.code)}::text[],
        ${rows.map(r => r.owner_id)}::uuid[], ${rows.map(r => r.amount)}::bigint[],
        ${rows.map(r => r.bank_booked_on)}::date[], ${rows.map(r => r.holder_id)}::uuid[])
        as w (partner_id, entry_id, line, code, owner_id, amount, bank_booked_on, holder_id)),
    found as materialized (
      select w.partner_id, w.entry_id, w.line, a.id as account_id, w.holder_id, w.amount,
          w.bank_booked_on
        from wanted w join ledger_accounts a
          on a.partner_id = w.holder_id and a.owner_id = w.owner_id and a.code = w.code
      union all
      select w.partner_id, w.entry_id, w.line, a.id, w.holder_id, w.amount, w.bank_booked_on
        from wanted w join ledger_accounts a
          on a.partner_id = ${LENDER} and a.owner_id is null and a.code = w.code
        where w.owner_id is null),
    posted as (select * from found where (select count(*) from found) = ${rows.length}::int),
    entry as (insert into ledger_entries
        (id, kind, partner_id, loan_id, payment_id, bill_id, value_on, booked_at)
      select e.id, e.kind, e.partner_id, e.loan_id, e.payment_id, e.bill_id, e.value_on, ${tx.now}
      from unnest(${booked.map(e => e.id)}::uuid[], ${booked.map(e => e.kind)}::text[],
        ${booked.map(e => e.partner_id)}::uuid[],
        ${booked.map(e => e.loan_id ?? null)}::uuid[],
        ${booked.map(e => e.payment_id ?? null)}::uuid[],
        ${booked.map(e => e.bill_id ?? null)}::uuid[],
        ${booked.map(e => e.value_on)}::date[])
        as e (id, kind, partner_id, loan_id, payment_id, bill_id, value_on)
      where exists (select from posted) returning partner_id, id),
    posting as (insert into ledger_postings
        (partner_id, entry_id, line, account_id, amount, bank_booked_on)
      select partner_id, entry_id, line, account_id, amount, bank_booked_on from posted
      order by entry_id, line),
    balance as (insert into ledger_balances (partner_id, account_id, amount)
      select partner_id, account_id, sum(amount)::bigint from posted where holder_id <> ${LENDER}
      group by partner_id, account_id order by account_id
      on conflict (partner_id, account_id)
        do update set amount = ledger_balances.amount + excluded.amount)
    insert into ledger_unsealed (partner_id, entry_id)
      select partner_id, id from entry returning entry_id`)
  return written.length > 0
}

const ONCE = 'ledger_accounts_partner_id_owner_id_code_key'

/**
 * Opens the missing accounts. Avoids `on conflict`, which makes each row slower: posting on a loan
 * requires its lock, so two transactions rarely open the same account, and the second one is
 * retried.
 */
async function openAccounts(tx: Tx, booked: readonly Booked[]): Promise<void> {
  const all = booked.flatMap(({ partner_id, postings }) =>
    postings.map(({ code, owner_id }) => ({
      partner_id: isOfLender(code) ? LENDER_ID : partner_id,
      code,
      owner_id,
    })),
  )
  const wanted = [...new Map(all.map(a => [`${a.partner_id} ${a.owner_id} ${a.code}`, a])).values()]
  const open = sql`
    insert into ledger_accounts (id, partner_id, code, owner_id)
    select w.id, w.partner_id, w.code, w.owner_id
    from unnest(${wanted.map(() => tx.newId())}::uuid[],
      ${wanted.map(a => a.partner_id)}::uuid[],
      ${wanted.map(a => a.code)}::text[], ${wanted.map(a => a.owner_id)}::uuid[])
      as w (id, partner_id, code, owner_id)
    where case when w.owner_id is null
      then not exists (select from ledger_accounts a
        where a.partner_id = w.partner_id and a.owner_id is null and a.code = w.code)
      else not exists (select from ledger_accounts a where a.partner_id = w.partner_id
        and a.owner_id = w.owner_id and a.code = w.code) end`
  await tx.run(open).catch(error => {
    throw error.constraint === ONCE
      ? new ConcurrentInsertError('an account was opened', error)
      : error
  })
}
