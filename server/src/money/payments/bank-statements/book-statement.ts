/** Books a received statement: refuses it whole if it does not tie, or passes its entries on. */
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { BankNews } from '../../../integrations/ports/bank.ts'
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import type { DB } from '../../../platform/db/schema.ts'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { addDays, type Day, max } from '../../../platform/kit/dates.ts'
import { lockAccount } from '../bank-account-store.ts'
import { receiveBankNews } from '../receive-bank-news.ts'
import { type EntryTotals, follows, reasonToRefuse, type StatementFigures } from './rules.ts'
import { findReceived, readEntries, type StatementRow, stepStatement } from './store.ts'
import { tieOut } from './tie-out.ts'

const ALL = { partners: '*', actor: 'bank' } as const
const SLICE = 500

/**
 * Books a statement slice by slice, each in its own transaction. Safe to repeat: news is stored
 * once. News of a refused statement is not stored at all.
 */
export async function bookStatement(database: Database, id: string): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    const from: number = after
    after = await transaction(database, ALL, tx => bookSlice(tx, id, from))
  }
}

/** Returns the place of the last entry passed on; null at the end. */
async function bookSlice(tx: Tx, id: string, after: number): Promise<number | null> {
  const found = await findReceived(tx, id)
  if (!found) return null
  const iban = await lockAccount(tx, found.bank_account_id)
  const statement = await findReceived(tx, id)
  if (!statement) return null
  if (after === 0 && (await refuseIfWrong(tx, statement))) return null
  const entries = await readEntries(tx, id, after, SLICE)
  const news = entries.map(entry => newsOf(entry, iban, statement.from_on))
  await receiveBankNews(tx, news)
  if (entries.length === SLICE) return entries.at(-1)!.place
  await stepStatement(tx, id, 'book')
  await clearRefusals(tx, statement)
  await clearAlert(tx, 'bank_silent', statement.bank_account_id)
  await followGaps(tx, statement)
  await tieOut(tx, statement.bank_account_id, statement.to_on)
  return null
}

async function refuseIfWrong(tx: Tx, statement: StatementRow): Promise<boolean> {
  const reason = reasonToRefuse(statement, await readTotals(tx, statement), {
    before: await neighbourOf(tx, statement, 'before'),
    after: await neighbourOf(tx, statement, 'after'),
  })
  if (reason === null) return false
  await stepStatement(tx, statement.id, 'refuse', reason)
  const detail = `Statement ${statement.statement_id} is refused: ${reason}`
  await raiseAlert(tx, 'statement_refused', statement.id, detail)
  return true
}

function readTotals(tx: Tx, { id }: StatementRow): Promise<EntryTotals> {
  return tx.one(sql<EntryTotals>`
    select coalesce(sum(case direction when 'IN' then amount else -amount end), 0)::bigint as moved,
      count(*)::int as count, coalesce(max(place), 0) as last_place,
      max(booked_on) as last_booked_on
    from bank_entries where statement_id = ${id}`)
}

/** The nearest booked statement of the account. */
function neighbourOf(
  tx: Tx,
  { bank_account_id, to_on, sequence }: StatementRow,
  where: 'before' | 'after',
): Promise<StatementFigures | undefined> {
  const place = sql`(${to_on}::date, ${sequence}::int)`
  const near: RawBuilder<unknown> =
    where === 'before'
      ? sql`(to_on, sequence) < ${place} order by to_on desc, sequence desc`
      : sql`(to_on, sequence) > ${place} order by to_on, sequence`
  return tx.maybe(sql<StatementRow>`
    select * from bank_statements
    where bank_account_id = ${bank_account_id} and state = 'BOOKED' and ${near} limit 1`)
}

/** An entry's cash counts on the days of its statement, whose closing balance it is part of. */
function newsOf(
  entry: Selectable<DB['bank_entries']>,
  account_iban: string,
  from_on: Day,
): BankNews {
  return {
    bank_reference: entry.bank_reference,
    account_iban,
    kind: entry.kind as BankNews['kind'],
    payment_id: entry.payment_id,
    amount: entry.amount,
    direction: entry.direction as 'IN' | 'OUT',
    booked_on: max(entry.booked_on, from_on),
    value_on: entry.value_on,
    reason_code: entry.reason_code,
    raw: entry.raw as Record<string, unknown>,
  }
}

/** The corrected statement of a refused one resolves its alert. */
async function clearRefusals(tx: Tx, statement: StatementRow): Promise<void> {
  const refusals = await tx.all(sql<{ id: string }>`
    select id from bank_statements where bank_account_id = ${statement.bank_account_id}
      and statement_id = ${statement.statement_id} and state = 'REFUSED'`)
  const ids = refusals.map(({ id }) => id)
  if (ids.length > 0) await clearAlert(tx, 'statement_refused', ...ids)
}

/** How far back statements are looked for that follow a gap. */
const GAP_DAYS = 400

async function followGaps(tx: Tx, { bank_account_id, to_on }: StatementRow): Promise<void> {
  const booked = await tx.all(sql<StatementFigures>`
    select statement_id, sequence, from_on, to_on, opening, closing from bank_statements
    where bank_account_id = ${bank_account_id} and state = 'BOOKED'
      and to_on > ${addDays(to_on, -GAP_DAYS)}
    order by to_on, sequence`)
  const gap = booked.findIndex((one, index) => index > 0 && !follows(one, booked[index - 1]!))
  if (gap < 0) return clearAlert(tx, 'statement_gap', bank_account_id)
  const [before, after] = [booked[gap - 1]!, booked[gap]!]
  const detail =
    `Between statements ${before.statement_id} (number ${before.sequence}) and ` +
    `${after.statement_id} (number ${after.sequence}), at least one is missing or refused`
  await raiseAlert(tx, 'statement_gap', bank_account_id, detail)
}
