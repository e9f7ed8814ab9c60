/** Books a received statement: refuses it whole if it does not tie, or passes its entries on. */
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { BANK_NEWS_KINDS, type BankNews } from '../../../integrations/ports/bank.ts'
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import type { DB } from '../../../platform/db/schema.ts'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { addDays, type Day, max } from '../../../platform/kit/dates.ts'
import { lockAccount } from '../bank-account-store.ts'
import { isForeign } from '../bank-accounts.ts'
import { receiveBankNews } from '../receive-bank-news.ts'
import { type EntryTotals, follows, reasonToRefuse, type StatementFigures } from './rules.ts'
import { findNext, markPassed, readEntries, type StatementRow, stepStatement } from './store.ts'
import { QUIET_DAYS, tieOut } from './tie-out.ts'

const ALL = { partners: '*', actor: 'bank' } as const
const SLICE = 500

/**
 * Books what has come of the statement's account, in order, slice by slice, each in its own
 * transaction. Safe to repeat: a booking that was interrupted goes on where it stopped. News of a
 * refused statement is not stored at all. Statements of an account that is not the lender's wait.
 */
export async function bookStatement(database: Database, id: string): Promise<void> {
  let goes_on = true
  while (goes_on) goes_on = await transaction(database, ALL, tx => bookNext(tx, id))
}

/** Books the next slice, or refuses the next statement. Returns false if nothing is left. */
export async function bookNext(tx: Tx, id: string): Promise<boolean> {
  const { bank_account_id } = await tx.one(sql<{ bank_account_id: string }>`
    select bank_account_id from bank_statements where id = ${id}`)
  const { iban, opened_on } = await lockAccount(tx, bank_account_id)
  if (await isForeign(tx, bank_account_id)) return false
  const statement = await findNext(tx, bank_account_id)
  if (!statement) return false
  if (statement.state === 'RECEIVED') {
    if (await refuseIfWrong(tx, statement, opened_on)) return true
    await stepStatement(tx, statement, 'accept')
  }
  const entries = await readEntries(tx, statement, SLICE)
  // Banks list entries of 0.00, which move nothing.
  const moving = entries.filter(entry => entry.amount !== 0n)
  await receiveBankNews(
    tx,
    moving.map(entry => newsOf(entry, iban, statement.from_on)),
  )
  if (entries.length === SLICE) await markPassed(tx, statement.id, entries.at(-1)!.position)
  else await finish(tx, statement)
  return true
}

async function finish(tx: Tx, statement: StatementRow): Promise<void> {
  const { id, bank_account_id, to_on } = statement
  await stepStatement(tx, { id, state: 'BOOKING' }, 'book')
  await clearRefusals(tx, statement)
  await checkNeighboursAgain(tx, statement)
  if (addDays(to_on, QUIET_DAYS) >= tx.today) await clearAlert(tx, 'bank_silent', bank_account_id)
  await followGaps(tx, statement)
  await tieOut(tx, bank_account_id, to_on)
}

async function refuseIfWrong(
  tx: Tx,
  statement: StatementRow,
  opened_on: Day | null,
): Promise<boolean> {
  const { id, statement_id } = statement
  const conflict = await isBookedOtherwise(tx, statement)
  const reason = conflict
    ? 'a statement of that name is booked, with other content'
    : reasonToRefuse(statement, await readTotals(tx, statement), {
        opened_on,
        before: await neighbourOf(tx, statement, 'before'),
        after: await neighbourOf(tx, statement, 'after'),
      })
  if (reason === null) return false
  await stepStatement(tx, statement, 'refuse', reason)
  const detail = `Statement ${statement_id} is refused: ${reason}`
  await raiseAlert(tx, conflict ? 'statement_conflict' : 'statement_refused', id, detail)
  return true
}

async function isBookedOtherwise(
  tx: Tx,
  { bank_account_id, statement_id }: StatementRow,
): Promise<boolean> {
  const booked = await tx.maybe(sql`
    select from bank_statements where bank_account_id = ${bank_account_id}
      and statement_id = ${statement_id} and state = 'BOOKED'`)
  return booked !== undefined
}

function readTotals(tx: Tx, { id, bank_account_id }: StatementRow): Promise<EntryTotals> {
  return tx.one(sql<EntryTotals>`
    select coalesce(sum(case direction when 'IN' then amount else -amount end), 0)::bigint as moved,
      count(*) = 0 or (count(*) = count(distinct place) and min(place) = 1
        and max(place) = count(*)) as is_numbered,
      (select min(bank_reference) from (
        select bank_reference from bank_entries where statement_id = ${id}
        group by 1 having count(*) > 1
        union all
        select o.bank_reference from bank_entries e
        join bank_entries o on o.bank_reference = e.bank_reference and o.statement_id <> ${id}
        join bank_statements s on s.id = o.statement_id and s.state = 'BOOKED'
          and s.bank_account_id = ${bank_account_id}
        where e.statement_id = ${id}) r) as repeated,
      min(kind) filter (where kind <> all(${BANK_NEWS_KINDS}::text[])) as unknown_kind,
      coalesce(bool_or(amount < 0), false) as has_negative, max(booked_on) as last_booked_on
    from bank_entries where statement_id = ${id}`)
}

/** The nearest booked statement of the account. */
function neighbourOf(
  tx: Tx,
  { id, bank_account_id, to_on, sequence }: StatementRow,
  where: 'before' | 'after',
): Promise<StatementFigures | undefined> {
  const place = sql`(${to_on}::date, ${sequence}::int)`
  const near: RawBuilder<unknown> =
    where === 'before'
      ? sql`(to_on, sequence) <= ${place} order by to_on desc, sequence desc`
      : sql`(to_on, sequence) > ${place} order by to_on, sequence`
  return tx.maybe(sql<StatementRow>`
    select * from bank_statements
    where bank_account_id = ${bank_account_id} and state = 'BOOKED' and id <> ${id}
      and ${near} limit 1`)
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

/** A booked statement resolves its own refusal, and that of others with its name or its days. */
async function clearRefusals(
  tx: Tx,
  { id, bank_account_id, statement_id, from_on, to_on }: StatementRow,
): Promise<void> {
  const refusals = await tx.all(sql<{ id: string }>`
    select id from bank_statements where bank_account_id = ${bank_account_id}
      and state = 'REFUSED' and (statement_id = ${statement_id}
        or (from_on >= ${from_on} and to_on <= ${to_on}))`)
  await clearAlert(tx, 'statement_refused', id, ...refusals.map(one => one.id))
}

/** A refused statement with the number before or after may continue the one now booked. */
async function checkNeighboursAgain(
  tx: Tx,
  { bank_account_id, sequence }: StatementRow,
): Promise<void> {
  const refused = await tx.all(sql<StatementRow>`
    select * from bank_statements r where r.bank_account_id = ${bank_account_id}
      and r.state = 'REFUSED' and r.sequence = any(${[sequence - 1, sequence + 1]}::int[])
      and not exists (select from bank_statements b where b.bank_account_id = r.bank_account_id
        and b.state = 'BOOKED' and (b.statement_id = r.statement_id
          or (b.sequence = r.sequence and b.from_on <= r.to_on and b.to_on >= r.from_on)))
    order by r.id`)
  for (const one of refused) await stepStatement(tx, one, 'check_again')
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
