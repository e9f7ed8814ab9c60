/** Back office: the lender's bank accounts, their statements, and the daily tie-out. */
import type {
  BankAccount,
  BankLine,
  BankStatement,
  TieOut,
  TieOutDetails,
} from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { AdminHandlers } from '../../context.ts'
import { BEFORE_OPENING, enterOpeningBalance } from '../../money/payments/index.ts'
import { newestFirst, type PageRequest, readPage, viewPage } from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, readWireDay, wireDay } from '../../platform/kit/dates.ts'
import { fromWire, toWire } from '../../platform/kit/money.ts'
import { problem } from '../../platform/kit/problem.ts'
import { cashOn } from '../../platform/ledger/index.ts'

interface AccountRow {
  id: string
  iban: string
  roles: BankAccount['roles']
  ledger_balance: bigint
  bank_balance: bigint | null
  bank_balance_on: Day | null
  tied_out_on: Day | null
  tie_out: TieOut['result'] | null
  unbooked: number
  opening_balance: bigint | null
  opened_on: Day | null
}

async function readAccounts(tx: Tx): Promise<BankAccount[]> {
  const rows = await tx.all(sql<AccountRow>`
    select a.id, a.iban, a.roles, a.opening_balance, a.opened_on,
      ${cashOn(sql`a.id`, sql`'infinity'::date`)} as ledger_balance,
      s.closing as bank_balance, s.to_on as bank_balance_on, t.day as tied_out_on,
      t.result as tie_out,
      (select count(*)::int from bank_news n where n.bank_account_id = a.id
        and n.booked_at is null and n.direction is not null) as unbooked
    from bank_accounts a
    left join lateral (select * from bank_statements where bank_account_id = a.id
      and state = 'BOOKED' order by to_on desc, sequence desc limit 1) s on true
    left join lateral (select * from tie_outs where bank_account_id = a.id
      order by day desc limit 1) t on true
    order by a.roles desc, a.iban`)
  return rows.map(row => ({
    ...row,
    ledger_balance: toWire(row.ledger_balance),
    bank_balance: row.bank_balance === null ? null : toWire(row.bank_balance),
    bank_balance_on: row.bank_balance_on && wireDay(row.bank_balance_on),
    tied_out_on: row.tied_out_on && wireDay(row.tied_out_on),
    opening_balance: row.opening_balance === null ? null : toWire(row.opening_balance),
    opened_on: row.opened_on && wireDay(row.opened_on),
  }))
}

interface StatementRow extends Omit<BankStatement, 'opening' | 'closing' | 'received_at'> {
  from_on: Day
  to_on: Day
  opening: bigint
  closing: bigint
  received_at: Date
}

const STATEMENT = sql`s.id, s.statement_id, s.sequence, s.from_on, s.to_on, s.opening, s.closing,
  s.entries, s.state as status, s.refused_for, s.received_at`

function viewStatement(row: StatementRow): BankStatement {
  return {
    id: row.id,
    statement_id: row.statement_id,
    sequence: row.sequence,
    from_on: wireDay(row.from_on),
    to_on: wireDay(row.to_on),
    opening: toWire(row.opening),
    closing: toWire(row.closing),
    entries: row.entries,
    status: row.status,
    refused_for: row.refused_for,
    received_at: row.received_at.toISOString(),
  }
}

interface TieOutRow {
  id: string
  day: Day
  closing: bigint
  ledger: bigint
  difference: bigint
  result: TieOut['result']
  checked_at: Date
}

function viewTieOut({ id, day, result, ...row }: TieOutRow): TieOut {
  return {
    id,
    result,
    day: wireDay(day),
    closing: toWire(row.closing),
    ledger: toWire(row.ledger),
    difference: toWire(row.difference),
    checked_at: row.checked_at.toISOString(),
  }
}

async function readStatements(tx: Tx, account_id: string, request: PageRequest) {
  const select = (where: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql<StatementRow>`
    select ${STATEMENT}, ${key} from bank_statements s
    where s.bank_account_id = ${account_id} and ${where}`
  return viewPage(await readPage(tx, request, newestFirst(sql`s.id`), select), viewStatement)
}

async function readTieOuts(tx: Tx, account_id: string, request: PageRequest) {
  const select = (where: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql<TieOutRow>`
    select t.id, t.day, t.closing, t.ledger, t.difference, t.result, t.checked_at, ${key}
    from tie_outs t where t.bank_account_id = ${account_id} and ${where}`
  const by_day = { columns: [{ sql: sql`t.day`, cast: 'date' }], direction: 'desc' } as const
  return viewPage(await readPage(tx, request, by_day, select), viewTieOut)
}

const ENTRIES_MAX = 500
const UNEXPLAINED_MAX = 100

async function readTieOut(tx: Tx, id: string): Promise<TieOutDetails> {
  const row = await tx.maybe(sql<
    TieOutRow & { bank_account_id: string; iban: string; statement_id: string; tied_on: Day }
  >`
    select t.*, a.iban, coalesce((select max(e.day) from tie_outs e
      where e.bank_account_id = t.bank_account_id and e.day < t.day and e.result = 'TIED'),
      '0001-01-01') as tied_on
    from tie_outs t join bank_accounts a on a.id = t.bank_account_id where t.id = ${id}`)
  if (!row) throw problem('resource_unknown', `There is no tie-out ${id}.`)
  const { bank_account_id, iban, statement_id, day, tied_on } = row
  const statement = await tx.one(sql<StatementRow>`
    select ${STATEMENT} from bank_statements s where s.id = ${statement_id}`)
  const since = sql`s.bank_account_id = ${bank_account_id} and s.state = 'BOOKED'
    and s.to_on > ${tied_on} and s.to_on <= ${day}`
  const entries = await readLines(
    tx,
    entriesWhere(sql`e.statement_id = ${statement_id}`),
    ENTRIES_MAX,
  )
  const at_bank_only = await readLines(
    tx,
    entriesWhere(sql`${since} and (n.booked_at is null or n.booked_on > ${day} or ${DIFFERS})`),
    UNEXPLAINED_MAX,
  )
  const in_books_only = await readLines(
    tx,
    sql`
      select n.bank_reference, n.kind, n.direction, n.amount, n.booked_on, n.value_on, n.payment_id,
        n.raw ->> 'reference' as text, n.outcome
      from bank_news n
      where n.bank_account_id = ${bank_account_id} and n.direction is not null
        and n.booked_at is not null and n.outcome is distinct from ${BEFORE_OPENING}
        and n.booked_on > ${tied_on} and n.booked_on <= ${day}
        and not exists (select from bank_entries e join bank_statements s on s.id = e.statement_id
          where e.bank_reference = n.bank_reference and ${since} and not ${DIFFERS})`,
    UNEXPLAINED_MAX,
  )
  return {
    ...viewTieOut(row),
    bank_account_id,
    iban,
    statement: viewStatement(statement),
    entries,
    in_books_only,
    at_bank_only,
  }
}

/** The news `n` moved other cash than the entry `e` says. */
const DIFFERS = sql<boolean>`((n.amount, n.direction, n.bank_account_id)
  is distinct from (e.amount, e.direction, s.bank_account_id))`

function entriesWhere(which: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select e.bank_reference, e.kind, e.direction, e.amount, e.booked_on, e.value_on, e.payment_id,
      e.raw ->> 'reference' as text, n.outcome
    from bank_entries e join bank_statements s on s.id = e.statement_id
    left join bank_news n on n.bank_account_id = s.bank_account_id
      and n.bank_reference = e.bank_reference where ${which}`
}

interface LineRow extends Omit<BankLine, 'moved'> {
  direction: 'IN' | 'OUT'
  amount: bigint
  booked_on: Day
  value_on: Day
  total: number
}

async function readLines(
  tx: Tx,
  lines: RawBuilder<unknown>,
  max: number,
): Promise<TieOutDetails['entries']> {
  const rows = await tx.all(sql<LineRow>`
    select l.*, count(*) over ()::int as total from (${lines}) l
    order by l.booked_on, l.bank_reference limit ${max}`)
  const data = rows.map(({ direction, amount, booked_on, value_on, total: _, ...row }) => ({
    ...row,
    moved: toWire(direction === 'IN' ? amount : -amount),
    booked_on: wireDay(booked_on),
    value_on: wireDay(value_on),
  }))
  return { data, total: rows[0]?.total ?? 0 }
}

type Served =
  | 'listBankAccounts'
  | 'listBankStatements'
  | 'listTieOuts'
  | 'getTieOut'
  | 'setOpeningBalance'

export const bankAccountWork: Pick<AdminHandlers, Served> = {
  listBankAccounts: async tx => ({ data: await readAccounts(tx) }),

  listBankStatements: (tx, { params, query, path }) =>
    readStatements(tx, params.bank_account_id, { ...query, path }),

  listTieOuts: (tx, { params, query, path }) =>
    readTieOuts(tx, params.bank_account_id, { ...query, path }),

  getTieOut: (tx, { params }) => readTieOut(tx, params.tie_out_id),

  setOpeningBalance: {
    check: (tx, { body }) => {
      const opened_on = body.date === undefined ? null : readWireDay(body.date)
      if (opened_on === null) return { faults: [] }
      if (opened_on < tx.today) return { faults: [], meaning: opened_on }
      return { faults: [{ name: 'date', reason: 'has not ended' }] }
    },
    handle: async (tx, { params, body, meaning }) => {
      await enterOpeningBalance(tx, params.bank_account_id, fromWire(body.amount), meaning)
      return null
    },
  },
}
