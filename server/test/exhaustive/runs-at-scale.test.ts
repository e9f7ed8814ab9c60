/** Daily runs with many borrowers: a page reads its own rows, not all rows that follow. */
import { beforeAll, expect, test } from 'vitest'
import { copyBorrower, writableColumns } from '../../../bench/copy-borrower.ts'
import { closeCardCycles } from '../../src/credit/cards/index.ts'
import { reviewOverdueLoans } from '../../src/credit/delinquency/index.ts'
import { chargeFees, debitFeesAgain } from '../../src/credit/subscriptions/index.ts'
import type { RowKey } from '../../src/platform/db/of-partner.ts'
import { BEFORE_ALL_IDS, type Paged } from '../../src/platform/db/slices.ts'
import { type Database, type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { blocksTouched } from '../support/blocks-touched.ts'
import { activeCard, spend } from '../support/cards.ts'
import { lend } from '../support/money.ts'
import { sentBy } from '../support/statements.ts'
import { readyBorrower } from '../support/story.ts'

const BORROWERS = 10_000
/** The blocks that a page may read. Reading all rows would take several times as many. */
const PAGE_MAX = 50
/** The blocks that lookups by key may read for each row of a page. */
const EACH_MAX = 25
const ALL = { partners: '*', actor: 'service' } as const
const FIRST_OF_MONTH = day('2027-02-01')
let app: TestApp

beforeAll(async () => {
  app = await testApp({ new: true })
  const borrower = await readyBorrower(app)
  await lend(app, borrower, { amount: 1_000, days: 5 })
  await copyBorrower(app.context.database, BORROWERS)
  await spend(app, await activeCard(app, borrower), 1_000)
  await transaction(app.context.database, ALL, async tx => {
    await insertEntries(tx)
    await insertFees(tx)
    await insertOverdueLoans(tx)
  })
  await app.context.database.pool.query('vacuum analyze')
})

/** A cleared card entry of each line. */
async function insertEntries(tx: Tx): Promise<void> {
  const columns = await writableColumns(tx, 'card_entries')
  await tx.raw(`insert into card_entries (${columns.join(', ')})
    select ${columns.map(column => `r.${column}`).join(', ')}
    from card_entries o cross join credit_lines l, lateral jsonb_populate_record(o,
      jsonb_build_object('id', uuidv7(), 'credit_line_id', l.id, 'borrower_id', l.borrower_id,
        'authorization_ref', null, 'transaction_ref', null)) r
    where o.status = 'completed' and l.id <> o.credit_line_id`)
}

/** Two fees of each borrower: one without a debit, and one with a canceled debit. */
async function insertFees(tx: Tx): Promise<void> {
  const columns = await writableColumns(tx, 'payments')
  await tx.raw(`insert into subscriptions (id, partner_id, borrower_id, borrower_product_id, status,
      activated_on, monthly_fee, created_at)
    select uuidv7(), partner_id, borrower_id, id, 'ACTIVE', '2026-10-01', 990, now()
    from borrower_products on conflict do nothing`)
  await tx.raw(`insert into payments (${columns.join(', ')})
    select ${columns.map(column => `r.${column}`).join(', ')}
    from subscriptions s cross join payments o,
      lateral jsonb_populate_record(o, jsonb_build_object('id', s.id, 'loan_id', null,
        'borrower_id', s.borrower_id, 'payment_type', 'SUBSCRIPTION', 'status', 'CANCELED')) r
    where s.status = 'ACTIVE' and o.id = (select max(id::text)::uuid from payments)`)
  await tx.raw(`insert into subscription_fees (id, partner_id, subscription_id, month, amount,
      payment_id, created_at)
    select uuidv7(), partner_id, id, month, 990, case month when '2026-11-01' then id end, now()
    from subscriptions, unnest(array['2026-11-01', '2026-12-01']::date[]) month
    where status = 'ACTIVE'`)
}

/** Makes every loan overdue, written off and part of a plan, and blocks every borrower. */
async function insertOverdueLoans(tx: Tx): Promise<void> {
  await tx.raw(`update loans set status = 'TO_REPAY', due_on = '2026-10-01', unrecovered = true,
    plan_due_on = '2026-10-01'`)
  await tx.raw(`update borrowers set status = 'BLOCKED'`)
  await tx.raw(`insert into late_loans (loan_id, partner_id, borrower_id, late_from, noted_at)
    select id, partner_id, borrower_id, '2026-10-01', now() from loans`)
}

/** The blocks read by the only statement of `work` that contains `text`. */
async function blocksOf(
  text: string,
  work: (database: Database) => Promise<unknown>,
): Promise<number> {
  const sent = await sentBy(app.context.database, work)
  const [only, ...others] = sent.filter(one => one.text.includes(text))
  expect(others).toEqual([])
  return transaction(app.context.database, ALL, tx => blocksTouched(tx, only!.text, only!.values))
}

/** The first page, which has the most rows after it, and the number of blocks read for it. */
async function firstPage({ read }: Paged, table: string) {
  let page: readonly RowKey[] = []
  const blocks = await blocksOf(`from ${table}`, database =>
    transaction(database, ALL, async tx => {
      page = (await read(tx, BEFORE_ALL_IDS)) as readonly RowKey[]
    }),
  )
  return { page, blocks }
}

test('a page of card cycles reads no entries of later pages', async () => {
  const [cycles] = closeCardCycles(FIRST_OF_MONTH)
  const { page, blocks } = await firstPage(cycles!, 'card_entries')
  expect(page).toHaveLength(50)
  expect(blocks).toBeLessThan(PAGE_MAX)
})

test('a page of borrowers to review reads no debts of later pages', async () => {
  const { page, blocks } = await firstPage(reviewOverdueLoans(), 'late_loans')
  expect(page).toHaveLength(200)
  expect(blocks).toBeLessThan(PAGE_MAX)
})

test('a page of fees to charge reads no subscriptions of later pages', async () => {
  const [charged] = chargeFees(FIRST_OF_MONTH)
  const { page, blocks } = await firstPage(charged!, 'subscriptions')
  expect(page).toHaveLength(200)
  expect(blocks).toBeLessThan(PAGE_MAX)
})

test.each([
  ['fees to debit', 'subscription_fees'],
  ['fees to debit again', 'payments p'],
])('a page of %s reads and locks its own fees, also of several partners', async (what, table) => {
  const runs = [...chargeFees(FIRST_OF_MONTH), debitFeesAgain()]
  const fees = runs.find(one => one.what === what)!
  const { page, blocks } = await firstPage(fees, table)
  expect(page).toHaveLength(200)
  expect(blocks).toBeLessThan(3 * page.length)
  const keys = [...page, { partner_id: newId(), id: newId() }]
  const failures: unknown[] = []
  const locked = await blocksOf('for no key update of f', on => fees.work(on, keys, failures))
  expect(failures).toEqual([])
  expect(locked).toBeLessThan(EACH_MAX * keys.length)
})
