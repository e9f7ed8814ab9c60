/** Lists of a partner with many loans: a page of rare rows costs little more than other pages. */
import { beforeAll, expect, test } from 'vitest'
import { writableColumns } from '../../../bench/copy-borrower.ts'
import { readReport, readReportParameters } from '../../src/back-office/reports/index.ts'
import { creditLineHandlers } from '../../src/companies/credit-lines/handlers.ts'
import type { Call, Context } from '../../src/context.ts'
import { loanHandlers } from '../../src/credit/loans/handlers.ts'
import { paymentHandlers } from '../../src/money/payments/handlers.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { bankCash, post, transferPostings } from '../../src/platform/ledger/index.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { blocksTouched } from '../support/blocks-touched.ts'
import { lend } from '../support/money.ts'
import { sealBooks } from '../support/seal.ts'
import { type Sent, sentBy } from '../support/statements.ts'
import { type ReadyBorrower, readyBorrower } from '../support/story.ts'

const LOANS = 40_000
let app: TestApp
let borrower: ReadyBorrower

beforeAll(async () => {
  app = await testApp({ new: true })
  borrower = await readyBorrower(app)
  const rare = await readyBorrower(app)
  await lend(app, rare, { amount: 1_000, days: 5 })
  await lend(app, borrower, { amount: 1_000, days: 5 })
  await multiply(app.context, n => `${n} % 9999 not in (1, 2, 3)`)
  await movePayments(app.context)
  // Statistics know only one partner and one status; the rare rows come afterwards.
  await app.context.database.pool.query('vacuum analyze loans, payments, loan_movements')
  await multiply(app.context, n => `${n} % 9999 in (1, 2, 3)`)
})

/** Copies a table's last row for each number that satisfies `which`, with some columns replaced. */
async function copies(tx: Tx, table: string, changed: Record<string, string>, which: string) {
  const columns = await writableColumns(tx, table)
  const own = Object.entries(changed).map(([column, value]) => `'${column}', ${value}`)
  await tx.raw(`insert into ${table} (${columns.join(', ')})
    select ${columns.map(column => `r.${column}`).join(', ')}
    from ${table} o, generate_series(1, ${LOANS}) n,
      lateral jsonb_populate_record(o, jsonb_build_object(${own.join(', ')})) r
    where o.id = (select max(id::text)::uuid from ${table}) and ${which}`)
}

async function multiplyBorrowers({ database }: Context): Promise<void> {
  const numbered = (column: string) => `(left(o.${column}::text, 24) || lpad(n::text, 12, '0'))`
  const named = (column: string) => `o.${column} || '-' || n`
  const some = 'n <= 5000'
  await transaction(database, { partners: '*', actor: 'service' }, async tx => {
    const ids = { id: numbered('id'), company_key: named('company_key') }
    const numbers = { identifier: named('identifier'), vat_number: named('vat_number') }
    await copies(tx, 'borrowers', { ...ids, ...numbers }, some)
    const line = { borrower_id: numbered('borrower_id'), contract_number: named('contract_number') }
    await copies(tx, 'credit_lines', { id: numbered('id'), ...line }, some)
  })
}

/** Copies one loan and one payment: a few copies of rare kinds, most of one common kind. */
async function multiply({ database }: Context, which: (n: string) => string): Promise<void> {
  const day = `date '2020-01-01' + n / 20`
  await transaction(database, { partners: '*', actor: 'service' }, async tx => {
    await copies(
      tx,
      'loans',
      {
        id: 'uuidv7(make_interval(secs => -n))',
        salt_id: `'s' || n`,
        repayment_reference: `'R' || n`,
        to_pay_on: day,
        to_repay_on: day,
        falls_due_on: day,
        due_on: day,
        contractual_repayment_on: `${day} - case when n % 9999 = 5 then 1 else 0 end`,
        status: `case when n % 9999 = 1 then 'ISSUE_DETECTED' when n % 9999 = 2 then 'DECLINED'
          else 'CLOSED' end`,
        loan_type: `case when n % 9999 = 3 then 'INVOICE_BASED_FINANCING'
          else 'WALLET_FINANCING' end`,
        repayment_iban: `'FR' || n`,
      },
      which('n'),
    )
    await copies(
      tx,
      'payments',
      {
        id: 'uuidv7(make_interval(secs => -n))',
        scheduled_on: day,
        status: `case when n % 9999 = 1 then 'FAILED' else 'CANCELED' end`,
      },
      which('n'),
    )
  })
}

/** Inserts a money movement for each payment. */
async function movePayments({ database }: Context): Promise<void> {
  await transaction(database, { partners: '*', actor: 'service' }, tx =>
    tx.raw(`insert into loan_movements select r.* from loan_movements o, payments p,
      lateral jsonb_populate_record(o, jsonb_build_object('id', uuidv7(), 'payment_id', p.id)) r
      where o.id = (select max(id::text)::uuid from loan_movements)
        and not exists (select from loan_movements m where m.payment_id = p.id)`),
  )
}

/** The blocks that a list touches for its page and its total, and the number of rows found. */
async function blocksOf(
  list: (tx: Tx, call: never) => Promise<{ data: unknown[] }>,
  query: Record<string, unknown>,
): Promise<{ blocks: number; found: number }> {
  const { database } = app.context
  const call = {
    query: { page_size: 100, ...query },
    path: '/loans',
    params: {},
    caller: { partner_id: app.partner_id },
  } as unknown as Call<'listLoans'>
  let found = 0
  const scope = { partners: [app.partner_id], read_only: true } as const
  const sent = await sentBy(database, on =>
    transaction(on, scope, async tx => {
      found = (await list(tx, call as never)).data.length
    }),
  )
  return transaction(database, scope, async tx => {
    let blocks = 0
    for (const { text, values } of sent.filter(isRead))
      blocks += await blocksTouched(tx, text, values)
    return { blocks, found }
  })
}

const isRead = ({ text }: Sent) => /^\s*select/i.test(text)

test('a posting finds its accounts among those of all loans', async () => {
  const { database } = app.context
  const all = { partners: '*', actor: 'service' } as const
  await transaction(database, all, tx =>
    tx.raw(`insert into ledger_accounts (id, partner_id, code, owner_id)
      select gen_random_uuid(), partner_id, 'interest_billed', id from loans
      on conflict do nothing`),
  )
  await database.pool.query('vacuum analyze ledger_accounts')
  const [loan] = (
    await transaction(database, all, tx => tx.raw('select partner_id, id from loans limit 1'))
  ).rows
  const owed = { code: 'interest_billed', owner_id: loan.id } as const
  const cash = bankCash(database.settings.bank_accounts.FUNDING.id, day('2027-01-11'))
  const sent = await sentBy(database, on =>
    transaction(on, all, async tx => {
      const postings = transferPostings(cash, owed, 1n)
      const value_on = tx.today
      const { partner_id } = loan
      await post(tx, [{ kind: 'bill_payment', partner_id, value_on, postings }])
      throw new Error('never mind')
    }).catch(() => {}),
  )
  const looks = sent.filter(one => one.text.includes('ledger_accounts'))
  expect(looks.length).toBeGreaterThan(0)
  const blocks: number[] = []
  const looked = transaction(database, all, async tx => {
    for (const { text, values } of looks) blocks.push(await blocksTouched(tx, text, values))
    throw new Error('never mind')
  })
  await expect(looked).rejects.toThrow('never mind')
  // Reading all accounts would touch more than four hundred.
  for (const some of blocks) expect(some).toBeLessThan(150)
})

/** Posts ledger entries of one cent each, and seals them. */
async function postOften({ database }: Context, entries: number): Promise<void> {
  const all = { partners: '*', actor: 'service' } as const
  await transaction(database, all, async tx => {
    await tx.raw(
      `with entries as (
        insert into ledger_entries (id, partner_id, kind, value_on, booked_at)
        select uuidv7(), '${LENDER_ID}', 'funding_received', $1::date, $2::timestamptz
        from generate_series(1, ${entries}) returning partner_id, id),
      tail as (insert into ledger_unsealed (partner_id, entry_id)
        select partner_id, id from entries)
      insert into ledger_postings (partner_id, entry_id, line, account_id, amount)
      select e.partner_id, e.id, s.line, a.id, s.amount from entries e
      join (values (0, 'bank_cash', 1), (1, 'lender_capital', -1)) s (line, code, amount) on true
      cross join lateral (select id from ledger_accounts
        where partner_id = '${LENDER_ID}' and code = s.code limit 1) a`,
      [tx.today, tx.now],
    )
  })
  // The list of unsealed entries is longest now. Plans based on these statistics must not read all
  // ledger entries once it is short.
  await database.pool.query('analyze ledger_unsealed')
  await sealBooks({ database })
}

test('a trial balance reads daily turnover instead of postings', async () => {
  const { database } = app.context
  await postOften(app.context, 10_000)
  const snapshot = { partners: '*', snapshot: true } as const
  const sent = await sentBy(database, on =>
    transaction(on, snapshot, async tx => {
      const input = readReportParameters('trial-balance', {}, tx.today)
      if ('reason' in input) throw new Error(input.reason)
      const report = await readReport(tx, 'trial-balance', input)
      for (const { reported, found } of await report.reconcile()) expect(reported).toBe(found)
    }),
  )
  const [read] = sent.filter(({ text }) => text.includes('ledger_turnovers'))
  await transaction(database, snapshot, async tx => {
    expect(await blocksTouched(tx, read!.text, read!.values)).toBeLessThan(100)
  })
})

test('a page of rare loans costs at most twice as much as one of all', async () => {
  const { listLoans } = loanHandlers
  const all = await blocksOf(listLoans as never, {})
  expect(all.found).toBe(100)
  const { id } = borrower
  for (const query of [
    { status: ['ISSUE_DETECTED'] },
    { status: ['ISSUE_DETECTED', 'DECLINED'] },
    { status: ['SUBMITTED'] },
    { loan_type: ['INVOICE_BASED_FINANCING'] },
    { postponed: true },
    { to_pay_at_from: '2024-05-01', to_pay_at_to: '2024-05-03' },
    { to_repay_at_from: '2024-05-01', to_repay_at_to: '2024-05-03' },
    { contractual_repayment_date_from: '2024-05-01', contractual_repayment_date_to: '2024-05-03' },
    { borrower: [id] },
    { sort_by: 'to_pay_at:asc' },
    { sort_by: 'to_repay_at:desc' },
  ]) {
    const { blocks } = await blocksOf(listLoans as never, query)
    expect({ query, cheap: blocks <= 2 * all.blocks }, `${blocks} of ${all.blocks}`).toEqual({
      query,
      cheap: true,
    })
  }
})

test('few overdue loans are found among many that are repaid on time', async () => {
  const { listLoans } = loanHandlers
  const { database } = app.context
  await transaction(database, { partners: '*', actor: 'service' }, async tx => {
    await tx.raw(`update loans set status = 'TO_REPAY'
      where id in (select id from loans where status = 'CLOSED' order by id limit 20000)`)
    await tx.raw(`insert into late_loans (loan_id, partner_id, borrower_id, late_from, noted_at)
      select id, partner_id, borrower_id, to_repay_on, now() from loans
      where status = 'TO_REPAY' and to_repay_on < '2026-01-01' order by id limit 4`)
  })
  // Autovacuum is off in tests, and the statements must not touch the updated rows' old versions.
  await database.pool.query('vacuum analyze loans, late_loans')
  const all = await blocksOf(listLoans as never, {})
  for (const status of [['OVERDUE'], ['DECLINED', 'OVERDUE']]) {
    const { blocks, found } = await blocksOf(listLoans as never, { status })
    expect(found).toBeGreaterThanOrEqual(4)
    expect({ status, cheap: blocks <= 2 * all.blocks }, `${blocks} of ${all.blocks}`).toEqual({
      status,
      cheap: true,
    })
  }
})

test('an absent value is searched for once, not for the page and again for its total', async () => {
  const { listLoans } = loanHandlers
  const { rows } = await app.context.database.pool.query(
    `select relpages from pg_class where oid = 'loans'::regclass`,
  )
  const { blocks, found } = await blocksOf(listLoans as never, { query: 'nowhere' })
  expect(found).toBe(0)
  expect(blocks / rows[0].relpages).toBeLessThan(1.5)
})

test('counting the rows of several statuses stops early', async () => {
  await multiplyBorrowers(app.context)
  await app.context.database.pool.query('vacuum analyze borrowers, credit_lines')
  const query = { status: ['CLOSED', 'DECLINED'] }
  const { blocks, found } = await blocksOf(loanHandlers.listLoans as never, query)
  expect(found).toBe(100)
  // Counting stops at 10,000 of the 40,000 rows, and the page reads only its own rows.
  expect(blocks).toBeLessThan(6_000)
})

test('a page of rare payments costs at most twice as much as one of all', async () => {
  const { listPayments } = paymentHandlers
  const all = await blocksOf(listPayments as never, {})
  // The page finds the money movement of each payment through an index.
  expect(all.blocks).toBeLessThan(5_000)
  for (const query of [
    { status: ['FAILED'] },
    { status: ['FAILED', 'IN_TRANSIT'] },
    { sort_by: 'amount:desc' },
    { sort_by: 'scheduled_at:asc' },
    { sort_by: 'payment_method:desc' },
  ]) {
    const { blocks } = await blocksOf(listPayments as never, query)
    expect({ query, cheap: blocks <= 2 * all.blocks }, `${blocks} of ${all.blocks}`).toEqual({
      query,
      cheap: true,
    })
  }
})

test("a borrower's line is found among all", async () => {
  const { listCreditLines } = creditLineHandlers
  const { blocks, found } = await blocksOf(listCreditLines as never, { borrower: [borrower.id] })
  expect(found).toBe(1)
  expect(blocks).toBeLessThan(100)
})
