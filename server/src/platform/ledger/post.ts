/** The only writer of the books. */
import { sql } from 'kysely'
import { RaceLostError, type Statement, statement, type Tx } from '../db/transaction.ts'
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
  const { accounts, missing } = await accountIds(
    tx,
    booked.flatMap(e => e.postings),
  )
  const rows = booked.flatMap(e =>
    e.postings.map((p, line) => ({ entry_id: e.id, line, account_id: accounts.of(p)!, p })),
  )
  const fresh = new Set(missing.map(account => account.id))
  const [first, more] = split(balanceChanges(rows), ([id]) => fresh.has(id))
  const begun = first.length > 0 ? statement(insertBalances(first)) : null
  await tx.inOrder([openAccounts(missing), enter(tx, booked, rows, more), begun]).catch(error => {
    throw error.constraint === ONCE ? new RaceLostError('an account was opened', error) : error
  })
}

type Booked = Entry & { readonly id: string }

interface Row {
  readonly entry_id: string
  readonly line: number
  readonly account_id: string
  readonly p: Posting
}

/** Entries with their postings, and what these add to balances there are. */
function enter(
  tx: Tx,
  booked: readonly Booked[],
  rows: readonly Row[],
  more: readonly Change[],
): Statement<unknown> {
  return statement(sql`
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
    returning id),
    posting as (insert into ledger_postings (entry_id, line, account_id, amount)
    select * from unnest(${rows.map(r => r.entry_id)}::uuid[], ${rows.map(r => r.line)}::int[],
      ${rows.map(r => r.account_id)}::uuid[], ${rows.map(r => r.p.amount)}::bigint[])),
    balance as (${insertBalances(more)}
    on conflict (account_id) do update set amount = ledger_balances.amount + excluded.amount)
    insert into ledger_unsealed (entry_id) select id from entry`)
}

type Change = readonly [account_id: string, amount: bigint]

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): [first: T[], more: T[]] {
  return [all.filter(isFirst), all.filter(one => !isFirst(one))]
}

/** What the accounts that have an owner change by, in the order in which they are locked. */
function balanceChanges(postings: readonly Row[]): Change[] {
  const changes = new Map<string, bigint>()
  for (const { account_id, p } of postings) {
    if (p.owner_id !== null) changes.set(account_id, (changes.get(account_id) ?? 0n) + p.amount)
  }
  return [...changes].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** As it stands, of accounts that this transaction opens: nobody else knows them yet. */
function insertBalances(changes: readonly Change[]) {
  return sql`
    insert into ledger_balances (account_id, amount)
    select * from unnest(${changes.map(([id]) => id)}::uuid[],
      ${changes.map(([, amount]) => amount)}::bigint[])`
}

type Wanted = Pick<Posting, 'code' | 'owner_id'>

interface Account {
  readonly id: string
  readonly code: string
  readonly owner_id: string | null
}

/** Something of accounts, by what they hold and whose they are. */
class ByAccount<T> {
  readonly #codes = new Map<string, Map<string | null, T>>()

  of({ code, owner_id }: Pick<Account, 'code' | 'owner_id'>): T | undefined {
    return this.#codes.get(code)?.get(owner_id)
  }

  set({ code, owner_id }: Pick<Account, 'code' | 'owner_id'>, value: T): void {
    const owners = this.#codes.get(code)
    if (owners) owners.set(owner_id, value)
    else this.#codes.set(code, new Map([[owner_id, value]]))
  }

  all(): T[] {
    return [...this.#codes.values()].flatMap(owners => [...owners.values()])
  }
}

/** Ids of the accounts; those that are missing get theirs now and are to be opened. */
async function accountIds(
  tx: Tx,
  postings: readonly Posting[],
): Promise<{ accounts: ByAccount<string>; missing: Account[] }> {
  const wanted = new ByAccount<Wanted>()
  for (const posting of postings) wanted.set(posting, posting)
  const accounts = new ByAccount<string>()
  const all = wanted.all()
  for (const account of await readAccounts(tx, all)) accounts.set(account, account.id)
  const missing = all
    .filter(account => accounts.of(account) === undefined)
    .map(({ code, owner_id }) => ({ id: tx.newId(), code, owner_id }))
  for (const account of missing) accounts.set(account, account.id)
  return { accounts, missing }
}

function readAccounts(tx: Tx, wanted: readonly Wanted[]): Promise<Account[]> {
  const codes = wanted.map(p => p.code)
  const owners = wanted.map(p => p.owner_id)
  // In two halves: no index serves "is not distinct from", among the accounts of all loans.
  return tx.all(sql<Account>`
    select a.id, a.code, a.owner_id
    from unnest(${codes}::text[], ${owners}::uuid[]) as w (code, owner_id)
    join ledger_accounts a on a.code = w.code and a.owner_id = w.owner_id
    union all
    select id, code, owner_id from ledger_accounts
    where code = any(${codes.filter((_, i) => owners[i] === null)}::text[]) and owner_id is null`)
}

const ONCE = 'ledger_accounts_code_owner_id_key'

/**
 * Opens accounts. Not by `on conflict`, which costs half as much again for each: whoever posts on
 * a loan holds its lock, so that two hardly ever open the same one, and the second begins anew.
 */
function openAccounts(accounts: readonly Account[]): Statement<unknown> | null {
  if (accounts.length === 0) return null
  return statement(sql`
    insert into ledger_accounts (id, code, owner_id)
    select * from unnest(${accounts.map(a => a.id)}::uuid[],
      ${accounts.map(a => a.code)}::text[], ${accounts.map(a => a.owner_id)}::uuid[])`)
}
