/**
 * The sandbox bank's account statements: one for each account and TARGET day, with all lines booked
 * since the one before. They are delivered until the service has accepted them.
 */
import { sql } from 'kysely'
import { lockExclusive } from '../../../platform/db/locks.ts'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { addTargetDays, onOrBeforeTargetDay } from '../../../platform/kit/calendar.ts'
import { addDays, type Day } from '../../../platform/kit/dates.ts'
import type { AccountRole, BankEntry, BankInbox, BankStatement } from '../../ports/bank.ts'
import { OWN_BOOKS } from './bank-statement.ts'

/** What a sandbox can do with statements: keep them back, or send a wrong closing balance. */
export type StatementFault = 'NONE' | 'WITHHELD' | 'WRONG_BALANCE'

/**
 * Closes the statements of all TARGET days before today. Lines written from then on are booked on
 * later days. Returns how many days were closed.
 */
export async function closeStatements(tx: Tx): Promise<number> {
  const until = onOrBeforeTargetDay(addDays(tx.today, -1))
  const closed_on = await lastClosing(tx)
  if (closed_on !== null && closed_on >= until) return 0
  await lockExclusive(tx, 'sandbox_statements')
  const last = await lastClosing(tx)
  let count = 0
  for (let day = last ? addTargetDays(last, 1) : until; day <= until; day = addTargetDays(day, 1)) {
    await closeDay(tx, day)
    count += 1
  }
  return count
}

async function lastClosing(tx: Tx): Promise<Day | null> {
  const { last } = await tx.one(sql<{ last: Day | null }>`
    select max(to_on) as last from sandbox_bank_closings`)
  return last
}

async function closeDay(tx: Tx, day: Day): Promise<void> {
  await tx.run(sql`
    insert into sandbox_bank_closings
      (role, sequence, from_on, to_on, opening, closing, fault)
    select a.role, coalesce(l.sequence, 0) + 1, coalesce(l.to_on + 1, least(b.first_on, ${day})),
      ${day}, coalesce(l.closing, 0), coalesce(l.closing, 0) + coalesce(b.moved, 0),
      coalesce(f.fault, 'NONE')
    from unnest(array['COLLECTION', 'FUNDING']) a (role)
    left join sandbox_bank_accounts f on f.role = a.role
    left join lateral (select * from sandbox_bank_closings c where c.role = a.role
      order by c.sequence desc limit 1) l on true
    cross join lateral (select min(s.booked_on) as first_on,
        sum(case s.direction when 'IN' then s.amount else -s.amount end) as moved
      from sandbox_bank_statement s
      where s.account = a.role and s.direction is not null and s.booked_on <= ${day}
        and s.booked_on > coalesce(l.to_on, '0001-01-01')) b`)
}

/**
 * Changes what happens to an account's next statements. Without a fault, those that were kept back
 * or wrong are sent again, as they should have been.
 */
export async function setFault(tx: Tx, role: AccountRole, fault: StatementFault): Promise<void> {
  await tx.run(sql`
    insert into sandbox_bank_accounts (role, fault) values (${role}, ${fault})
    on conflict (role) do update set fault = excluded.fault`)
  if (fault !== 'NONE') return
  await tx.run(sql`
    update sandbox_bank_closings set fault = 'NONE', told_at = null
    where role = ${role} and fault <> 'NONE'`)
}

interface Closing {
  readonly role: AccountRole
  readonly sequence: number
  readonly from_on: Day
  readonly to_on: Day
  readonly opening: bigint
  readonly closing: bigint
  readonly fault: StatementFault
}

/** Delivers closed statements in order, until none is left; returns how many. */
export async function deliverStatements(database: Database, inbox: BankInbox): Promise<number> {
  for (let count = 0; ; count++) {
    const [next] = await transaction(database, OWN_BOOKS, tx => readNext(tx))
    if (!next) return count
    await inbox.statement(statementOf(next, ibanOf(database, next)), entriesOf(database, next))
    await transaction(database, OWN_BOOKS, async tx => {
      await tx.run(sql`
        update sandbox_bank_closings set told_at = ${tx.now}
        where role = ${next.role} and sequence = ${next.sequence} and fault = ${next.fault}`)
    })
  }
}

function ibanOf({ settings }: Database, { role }: Closing): string {
  return settings.bank_accounts[role].iban
}

function readNext(tx: Tx): Promise<Closing[]> {
  return tx.all(sql<Closing>`
    select role, sequence, from_on, to_on, opening, closing, fault from sandbox_bank_closings
    where told_at is null and fault <> 'WITHHELD' order by to_on, role limit 1`)
}

function statementOf(of: Closing, account_iban: string): BankStatement {
  const { role, sequence, from_on, to_on, opening } = of
  // One cent is enough for a statement that does not tie.
  const closing = of.fault === 'WRONG_BALANCE' ? of.closing + 1n : of.closing
  const statement_id = `${role}-${sequence}`
  const raw = { statement_id, opening: String(opening), closing: String(closing) }
  return { account_iban, statement_id, sequence, from_on, to_on, opening, closing, raw }
}

const SLICE = 500

async function* entriesOf(
  database: Database,
  { role, from_on, to_on }: Closing,
): AsyncGenerator<readonly BankEntry[]> {
  let place = 0
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const lines = await transaction(database, { ...OWN_BOOKS, read_only: true }, tx =>
      tx.all(sql<Omit<BankEntry, 'place'>>`
        select id::text as bank_reference, kind, payment_id, amount, direction, booked_on, value_on,
          reason_code, raw
        from sandbox_bank_statement
        where account = ${role} and direction is not null and booked_on >= ${from_on}
          and booked_on <= ${to_on} and id > ${after} order by id limit ${SLICE}`),
    )
    if (lines.length > 0) yield lines.map(line => ({ ...line, place: ++place }))
    if (lines.length < SLICE) return
    after = lines.at(-1)!.bank_reference
  }
}
