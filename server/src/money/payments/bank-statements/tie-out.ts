/**
 * The daily tie-out: cash in the books of a bank account, by the bank's booking date, equals the
 * closing balance of the bank's statement. A difference is an alert.
 */
import { sql } from 'kysely'
import type { Context } from '../../../context.ts'
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { type Tx, transaction } from '../../../platform/db/transaction.ts'
import { targetDaysBetween } from '../../../platform/kit/calendar.ts'
import { addDays, type Day } from '../../../platform/kit/dates.ts'
import { euros } from '../../../platform/kit/money.ts'
import { cashOn } from '../../../platform/ledger/index.ts'
import { lockAccount } from '../bank-account-store.ts'
import { LAST_NEWS } from '../store.ts'
import { type TieOutRow, writeTieOuts } from './store.ts'

/**
 * Compares the days of an account that have not tied out, and those from `from_on` on. A day waits
 * while news of it is not booked; booking that news has it compared again.
 */
export async function tieOut(tx: Tx, bank_account_id: string, from_on: Day): Promise<void> {
  const iban = await lockAccount(tx, bank_account_id)
  // Locked, so that news which is being booked counts: either its cash is seen here, or its booking
  // sees that the day waits for it.
  const unbooked = await tx.all(sql<{ booked_on: Day }>`
    select booked_on from bank_news
    where bank_account_id = ${bank_account_id} and booked_at is null and direction is not null
    order by booked_on, id limit ${LAST_NEWS} for share`)
  const waits_from = unbooked[0]?.booked_on ?? null
  const days = await tx.all(sql<TieOutRow>`
    with last as (select distinct on (to_on) id, to_on, closing from bank_statements
      where bank_account_id = ${bank_account_id} and state = 'BOOKED'
      order by to_on desc, sequence desc),
    compared as (select s.to_on as day, s.id as statement_id, s.closing from last s
      left join tie_outs t on t.bank_account_id = ${bank_account_id} and t.day = s.to_on
      where s.to_on >= ${from_on} or t.result is distinct from 'TIED'),
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
const QUIET_DAYS = 4

/** Whether a day has not tied out, or an account has had no statement for some days. */
export async function hasUntied(tx: Tx): Promise<boolean> {
  const { has_work } = await tx.one(sql<{ has_work: boolean }>`
    select exists (select from tie_outs where result <> 'TIED') or exists (
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
 * are overdue. Returns how many accounts it looked at.
 */
export async function followStatements(
  { database, ports: { bank } }: Context,
  today: Day,
): Promise<number> {
  const days_max = bank.statement_days_max
  return transaction(database, { partners: '*', actor: 'service' }, async tx => {
    const accounts = await tx.all(sql<LastNews>`
      select a.id, a.iban, coalesce(
        (select max(s.to_on) from bank_statements s
          where s.bank_account_id = a.id and s.state = 'BOOKED'),
        (select min(n.booked_on) from bank_news n
          where n.bank_account_id = a.id and n.direction is not null)) as since
      from bank_accounts a order by a.id`)
    for (const account of accounts) {
      await tieOut(tx, account.id, today)
      await followSilence(tx, account, today, days_max)
    }
    return accounts.length
  })
}

async function followSilence(
  tx: Tx,
  { id, iban, since }: LastNews,
  today: Day,
  days_max: number | null,
): Promise<void> {
  const passed = since === null ? 0 : targetDaysBetween(since, today)
  if (days_max === null || passed <= days_max) return
  const detail = `The bank has sent no statement of account ${iban} since ${since}`
  await raiseAlert(tx, 'bank_silent', id, detail)
}
