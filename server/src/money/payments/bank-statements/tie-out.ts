/**
 * The daily tie-out: cash in the books of a bank account, by the bank's booking date, equals the
 * closing balance of the bank's statement. A difference is an alert.
 */
import { sql } from 'kysely'
import type { Context } from '../../../context.ts'
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { LENDER } from '../../../platform/db/of-partner.ts'
import { accountsInUse } from '../../../platform/db/own-accounts.ts'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { enqueue, isQueued } from '../../../platform/jobs/index.ts'
import { addTargetDays, targetDaysBetween } from '../../../platform/kit/calendar.ts'
import { addDays, type Day } from '../../../platform/kit/dates.ts'
import { LENDER_ID } from '../../../platform/kit/ids.ts'
import { euros } from '../../../platform/kit/money.ts'
import { cashOn, lenderBalance } from '../../../platform/ledger/index.ts'
import { lockAccount } from '../bank-account-store.ts'
import { isOwnAccount } from '../bank-accounts.ts'
import { LAST_NEWS } from '../store.ts'
import { type TieOutRow, writeTieOuts } from './store.ts'

const ALL = { partners: '*', actor: 'service' } as const

/** Which days of an account are compared: those from a day on, or all that have not tied out. */
type Days = Day | 'UNTIED'

/**
 * Compares days of an account. A day waits while news of it is not booked; booking that news has it
 * compared again.
 */
export async function tieOut(tx: Tx, bank_account_id: string, which: Days): Promise<void> {
  const { iban } = await lockAccount(tx, bank_account_id)
  // Locked, so that news which is being booked counts: either its cash is seen here, or its booking
  // sees that the day waits for it.
  const unbooked = await tx.all(sql<{ booked_on: Day }>`
    select booked_on from bank_news
    where bank_account_id = ${bank_account_id} and booked_at is null and direction is not null
    order by booked_on, id limit ${LAST_NEWS} for share`)
  const waits_from = unbooked[0]?.booked_on ?? null
  const asked =
    which === 'UNTIED' ? sql`t.result is distinct from 'TIED'` : sql`s.to_on >= ${which}::date`
  const days = await tx.all(sql<TieOutRow>`
    with last as (select distinct on (to_on) id, to_on, closing from bank_statements
      where bank_account_id = ${bank_account_id} and state = 'BOOKED'
      order by to_on desc, sequence desc),
    compared as (select s.to_on as day, s.id as statement_id, s.closing from last s
      left join tie_outs t on t.bank_account_id = ${bank_account_id} and t.day = s.to_on
      where ${asked}),
    computed as (select c.*, ${cashOn(sql`${bank_account_id}::uuid`, sql`c.day`)} as ledger
      from compared c)
    select c.*, case when c.day >= ${waits_from}::date then 'WAITING'
      when c.ledger = c.closing then 'TIED' else 'DIFFERENT' end as result
    from computed c order by c.day`)
  await writeTieOuts(tx, bank_account_id, days)
  await alertDifference(tx, bank_account_id, iban)
}

/** The alert is about the last day: an earlier difference that a later entry settled is history. */
async function alertDifference(tx: Tx, bank_account_id: string, iban: string): Promise<void> {
  const last = await tx.maybe(sql<TieOutRow>`
    select * from tie_outs where bank_account_id = ${bank_account_id} order by day desc limit 1`)
  if (last?.result === 'TIED') await clearAlert(tx, 'tie_out_difference', bank_account_id)
  if (last?.result !== 'DIFFERENT') return
  const { day, ledger, closing } = last
  const detail =
    `Account ${iban} on ${day}: ${euros(ledger)} in the books, ${euros(closing)} at the bank, ` +
    `a difference of ${euros(ledger - closing)}`
  await raiseAlert(tx, 'tie_out_difference', bank_account_id, detail)
}

/** The days after which an account's last statement is looked at. */
export const QUIET_DAYS = 4

/** Banking days in which news is booked, and in which a transfer between own accounts arrives. */
const DAYS_MAX = 2

/**
 * Whether a day has not tied out, news or cash has not arrived in the books, or an account has had
 * no statement for some days.
 */
export async function hasUntied(tx: Tx): Promise<boolean> {
  const { has_work } = await tx.one(sql<{ has_work: boolean }>`
    select exists (select from tie_outs where result <> 'TIED')
      or exists (select from bank_news where booked_at is null)
      or exists (select from bank_statements where state in ('RECEIVED', 'BOOKING'))
      or ${lenderBalance(['cash_in_transit'])} <> 0 or exists (
      select from bank_accounts a where not exists (select from bank_statements s
        where s.bank_account_id = a.id and s.to_on >= ${addDays(tx.today, -QUIET_DAYS)}))
      as has_work`)
  return has_work
}

interface LastNews {
  readonly id: string
  readonly iban: string
  /** The last day of its last statement, else the first day with a movement. */
  readonly since: Day | null
}

/**
 * The daily run: compares what has not tied out, and alerts operators of accounts whose statements
 * or bookings are overdue. Returns how many accounts it looked at.
 */
export async function followStatements(
  { database, ports: { bank } }: Context,
  today: Day,
): Promise<number> {
  const days_max = bank.statement_days_max
  const own = await transaction(database, ALL, async tx => {
    const accounts = await tx.all(sql<LastNews>`
      select a.id, a.iban, coalesce(
        (select max(s.to_on) from bank_statements s
          where s.bank_account_id = a.id and s.state = 'BOOKED'),
        (select min(n.booked_on) from bank_news n
          where n.bank_account_id = a.id and n.direction is not null)) as since
      from bank_accounts a order by a.id`)
    const own = accounts.filter(one => isOwnAccount(tx, one.id))
    for (const account of own) {
      await tieOut(tx, account.id, 'UNTIED')
      await followUnbooked(tx, account, today)
      await followUndecided(tx, account, today)
      await bookWaitingStatements(tx, account)
      if (isInUse(tx, account.id)) await followSilence(tx, account, today, days_max)
      else await clearAlert(tx, 'bank_silent', account.id)
    }
    await followTransit(tx, today)
    return own
  })
  for (const account of own) await bookWaitingNews(database, account)
  return own.length
}

function isInUse({ settings }: Tx, id: string): boolean {
  return accountsInUse(settings).some(one => one.id === id)
}

/** An item that cannot be booked would keep the account's days waiting, without a difference. */
async function followUnbooked(tx: Tx, { id, iban }: LastNews, today: Day): Promise<void> {
  const oldest = await tx.maybe(sql<{ bank_reference: string; booked_on: Day; received_on: Day }>`
    select bank_reference, booked_on, (received_at at time zone 'Europe/Paris')::date as received_on
    from bank_news where bank_account_id = ${id} and booked_at is null and direction is not null
      and exists (select from tie_outs where bank_account_id = ${id} and result = 'WAITING')
    order by booked_on, id limit 1`)
  if (!oldest || targetDaysBetween(oldest.received_on, today) < DAYS_MAX) return
  const detail =
    `Account ${iban}: news ${oldest.bank_reference} of ${oldest.booked_on} cannot be booked, so ` +
    'days from then on are not compared'
  await raiseAlert(tx, 'tie_out_difference', id, detail)
}

/**
 * A statement whose booking fails would keep all later ones of its account waiting. Its own booking
 * clears the alert.
 */
async function followUndecided(tx: Tx, { id, iban }: LastNews, today: Day): Promise<void> {
  const oldest = await tx.maybe(sql<{ id: string; statement_id: string; received_on: Day }>`
    select id, statement_id, (received_at at time zone 'Europe/Paris')::date as received_on
    from bank_statements where bank_account_id = ${id} and state in ('RECEIVED', 'BOOKING')
    order by received_at, id limit 1`)
  if (!oldest || targetDaysBetween(oldest.received_on, today) < DAYS_MAX) return
  const detail =
    `Account ${iban}: statement ${oldest.statement_id}, which came on ${oldest.received_on}, ` +
    'cannot be booked, so later ones wait'
  await raiseAlert(tx, 'statement_refused', oldest.id, detail)
}

/**
 * Books statements that came before the settings named the account. One statement's job books all
 * that wait, and a job that fails is retried by itself.
 */
async function bookWaitingStatements(tx: Tx, { id }: LastNews): Promise<void> {
  const data = sql`jsonb_build_object('statement_id', s.id)`
  const waiting = await tx.all(sql<{ id: string; is_queued: boolean }>`
    select s.id, ${isQueued('book_bank_statement', data)} as is_queued from bank_statements s
    where s.bank_account_id = ${id} and s.state in ('RECEIVED', 'BOOKING') order by s.id`)
  const [statement] = waiting
  if (statement && !waiting.some(one => one.is_queued)) {
    enqueue(tx, 'book_bank_statement', { statement_id: statement.id })
  }
  await clearAlert(tx, 'bank_account_unknown', id)
}

/** How many news items one transaction enqueues. */
const WAITING_SLICE = 1000

/**
 * Books news that came before the settings named the account: its job has ended without booking it.
 * News with a job that fails is retried by that job.
 */
async function bookWaitingNews(database: Database, { id }: LastNews): Promise<void> {
  let after: string | undefined = LENDER_ID
  while (after) after = await transaction(database, ALL, tx => enqueueNews(tx, id, after!))
}

/** Enqueues an account's next news without a job; returns the last one if there may be more. */
async function enqueueNews(tx: Tx, id: string, after: string): Promise<string | undefined> {
  const news = await tx.all(sql<{ id: string; partner_id: string }>`
    select n.id, coalesce((select d.partner_id from directory d
      where d.kind = 'order' and d.value = n.payment_id::text), ${LENDER}) as partner_id
    from bank_news n where n.bank_account_id = ${id} and n.booked_at is null and n.id > ${after}
      and not ${isQueued('book_bank_news', sql`jsonb_build_object('bank_news_id', n.id)`)}
    order by n.id limit ${WAITING_SLICE}`)
  for (const one of news) enqueue(tx, 'book_bank_news', { bank_news_id: one.id }, one.partner_id)
  return news.length === WAITING_SLICE ? news.at(-1)!.id : undefined
}

/** Transfers of some days ago that have left one account and arrived on no other. */
async function followTransit(tx: Tx, today: Day): Promise<void> {
  const until = addTargetDays(today, -DAYS_MAX)
  const { missing } = await tx.one(sql<{ missing: bigint }>`
    select coalesce(sum(case when direction = 'IN' then -amount
      when booked_on <= ${until} then amount else 0 end), 0)::bigint as missing
    from bank_news where kind = 'TRANSFER_OWN' and booked_at is not null`)
  if (missing <= 0n) return clearAlert(tx, 'cash_in_transit', LENDER_ID)
  const detail = `${euros(missing)} left an account by ${until} and have not arrived on another`
  await raiseAlert(tx, 'cash_in_transit', LENDER_ID, detail)
}

async function followSilence(
  tx: Tx,
  { id, iban, since }: LastNews,
  today: Day,
  days_max: number | null,
): Promise<void> {
  const passed = since === null ? 0 : targetDaysBetween(since, today)
  if (days_max === null || passed <= days_max) return clearAlert(tx, 'bank_silent', id)
  const detail = `No statement of account ${iban} has been booked since ${since}`
  await raiseAlert(tx, 'bank_silent', id, detail)
}
