/** Reads a running service's database directly: what it stored and which work is pending. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BooksReport, verifyBooks } from '../../server/src/back-office/verification/verify.ts'
import { connect } from '../../server/src/platform/db/connect.ts'
import { knownSocketFolder, layoutOf, port } from '../../server/src/platform/db/embedded/layout.ts'
import { readPasswords } from '../../server/src/platform/db/embedded/passwords.ts'
import type { Settings } from '../../server/src/platform/db/settings.ts'
import type { Journal } from './clients.ts'

export type Rows = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>

export interface DatabaseView {
  readonly rows: Rows
  verify(): Promise<BooksReport>
}

/** Connects to the running database with the service's own role, for all partners. */
export async function withDatabase(
  folder: string,
  work: (look: DatabaseView) => Promise<void>,
): Promise<void> {
  const layout = layoutOf(folder)
  const host = knownSocketFolder(layout)!.socket_folder
  const { headroom: password } = readPasswords(layout)
  const pool = connect({ host, port, user: 'headroom', password, database: 'headroom' }, () => {})
  // Verification reads no settings, only tables.
  const database = { pool, settings: {} as Settings, beforeCommit: [] }
  const rows: Rows = async (text, values) => {
    const client = await pool.connect()
    try {
      await client.query("select set_config('headroom.partners', '*', false)")
      return (await client.query(text, values)).rows
    } finally {
      client.release()
    }
  }
  await work({ rows, verify: () => verifyBooks(database) }).finally(() => pool.end())
}

/**
 * Every acknowledged write exists once. Nothing else exists, except transfers whose response was
 * lost.
 */
export async function expectAcknowledged(rows: Rows, journal: Journal): Promise<void> {
  const ids = async (text: string) => (await rows(text)).map(row => row.id as string).sort()
  assert.deepEqual(await ids('select id from borrowers'), journal.borrowers.map(b => b.id).sort())
  const signed = await ids('select id from borrowers where signed_at is not null')
  assert.deepEqual(signed, journal.signed.toSorted())

  const loans = await rows('select id, salt_id, amount::int as amount from loans order by id')
  const byId = journal.loans.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  assert.deepEqual(loans, byId)
  const salts = new Set(loans.map(loan => loan.salt_id))
  assert.deepEqual(
    journal.refused_salts.filter(salt => salts.has(salt)),
    [],
  )

  // The lender's capital comes to its other account.
  const result = await ids(`select id from sandbox_bank_statement
    where kind = 'TRANSFER_IN' and account = 'COLLECTION'`)
  const found = new Set(result)
  assert.deepEqual(
    journal.transfers.filter(id => !found.has(id)),
    [],
  )
  const most = journal.transfers.length + journal.unknown_transfers
  assert.ok(result.length <= most)

  const [clock] = await rows('select clock_offset_ms::float8 as ms from deployment')
  const now = Date.now() + (clock!.ms as number)
  if (journal.now) assert.ok(now >= Date.parse(journal.now))
}

/** No loan is paid out twice according to its payments, the bank or its movements. */
export async function expectPaidOnce(rows: Rows): Promise<void> {
  const twice = await rows(`
    select p.loan_id, p.status, count(*) from payments p where p.payment_type = 'LOAN_PAYMENT'
      and p.status not in ('FAILED', 'CANCELED') group by 1, 2 having count(*) > 1`)
  assert.deepEqual(twice, [])
  const sent = await rows(`
    select p.loan_id, count(*) from sandbox_bank_instructions i
    join payments p on p.id = i.payment_id and p.payment_type = 'LOAN_PAYMENT'
    where i.state not in ('REJECTED', 'CANCELED') group by 1 having count(*) > 1`)
  assert.deepEqual(sent, [])
  const settled = await rows(`
    select instruction_id, count(*) from sandbox_bank_statement
    where kind = 'SETTLED' group by 1 having count(*) > 1`)
  assert.deepEqual(settled, [])
  const payouts = await rows(`
    select loan_id, count(*) from loan_movements
    where kind = 'PAYOUT' and voided_at is null group by 1 having count(*) > 1`)
  assert.deepEqual(payouts, [])
}

const PATIENCE_MS = 45_000
const POLL_MS = 20
/**
 * Each poll makes the server plan a statement, so polls become less frequent to leave the service
 * its CPU.
 */
const POLL_MS_MAX = 160

/**
 * Waits until every job is done, all bank news is booked, every event has its position in the feed
 * and today's business day has begun.
 */
export async function untilIdle(rows: Rows): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  for (let pause_ms = POLL_MS; ; pause_ms = Math.min(pause_ms * 2, POLL_MS_MAX)) {
    const waits = await rows(`
      select name || coalesce(': ' || last_error, '') as waits, count(*)::int from jobs group by 1
      union all select 'event', count(*)::int from events_unplaced having count(*) > 0
      union all select 'news', count(*)::int from bank_news
        where booked_at is null having count(*) > 0
      union all select 'day', 1 from deployment where not exists (select from business_days
        where business_date = ((now() + clock_offset_ms * interval '1 millisecond')
          at time zone 'Europe/Paris')::date)`)
    if (waits.length === 0) return
    if (Date.now() > deadline) assert.deepEqual(waits, [], 'still waiting')
    await sleep(pause_ms)
  }
}

/** The bank's books match ours once all its news is delivered and booked. */
export async function expectBankAgrees(rows: Rows): Promise<void> {
  assert.deepEqual(await rows('select id from sandbox_bank_statement where told_at is null'), [])
  const [sums] = await rows(`
    select (select coalesce(sum(case direction when 'IN' then amount else -amount end), 0)
        from sandbox_bank_instructions where state = 'SETTLED')::text as bank,
      (select coalesce(sum(case direction when 'IN' then amount else -amount end), 0)
        from payments p where status = 'PAID'
          and exists (select from sandbox_bank_instructions i where i.payment_id = p.id))::text
        as ours`)
  assert.equal(sums!.ours, sums!.bank)
  const [received] = await rows(`
    select (select count(*)::int from sandbox_bank_statement where kind = 'TRANSFER_IN') as bank,
      (select count(*)::int from bank_news where kind = 'TRANSFER_IN') as ours`)
  assert.equal(received!.ours, received!.bank)
}
