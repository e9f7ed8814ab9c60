/** Sharing a company's data: duplicates, batches, and faults reported by index. */
import { describe, expect, test } from 'vitest'
import { newId } from '../../../src/platform/kit/ids.ts'
import { testApp } from '../../support/app.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { plusDays, readyBorrower, today } from '../../support/story.ts'

const app = await testApp({ work: false })
const { client } = app

async function company() {
  const { identifier, identifier_type } = await client.generateSandboxBusiness({
    is_borrower: true,
  })
  return { identifier, identifier_type: identifier_type as 'siren' }
}

async function rows(table: string, about: { identifier: string }) {
  const { pool } = app.context.database
  const { rows } = await pool.query(
    `
    select s.* from (select set_config('headroom.partners', '*', false)) walls, ${table} s
    where s.company_key like '%' || $1`,
    [about.identifier],
  )
  return rows
}

const income = (day: string, amount: number, salt_id?: string) => ({
  amount,
  at: `${day}T10:00:00Z`,
  account: 'main',
  side: 'credit' as const,
  counterparty_name: 'A customer',
  operation_type: 'income' as const,
  salt_id,
})

describe('duplicates count once', () => {
  test('an invoice under any number of its seller, or by its client reference', async () => {
    const about = await company()
    const day = `${await today(app)}T00:00:00Z`
    const invoice = {
      direction: 'receivable' as const,
      invoice_number: 'F-1',
      net_amount: 1000,
      issued_at: day,
      due_at: day,
      seller: about,
      buyer: { identifier: '404833048', identifier_type: 'siren' as const },
    }
    const { vat_number } = await client.generateSandboxBusiness({ is_borrower: true })
    const seller = { identifier: vat_number!, identifier_type: 'vat_number' as const }
    await client.shareInvoices({ ...about, invoices: [invoice, { ...invoice, seller }] })
    expect(await rows('shared_invoices', about)).toHaveLength(1)
    const salted = { ...invoice, salt_id: 's', invoice_number: 'F-2' }
    await client.shareInvoices({ ...about, invoices: [salted] })
    await client.shareInvoices({ ...about, invoices: [{ ...salted, invoice_number: 'F-20' }] })
    const numbers = (await rows('shared_invoices', about)).map(row => row.invoice_number)
    expect(numbers.sort()).toEqual(['F-1', 'F-20'])
  })

  test('transactions by client reference or content; deleted ones are excluded', async () => {
    const about = await company()
    const day = plusDays(await today(app), -10)
    const transactions = [income(day, 100, 'a'), income(day, 100), income(day, 100)]
    for (let i = 0; i < 2; i++) await client.shareTransactions({ ...about, transactions })
    expect(await rows('shared_transactions', about)).toHaveLength(3)

    const deleted = { ...income(day, 100, 'a'), status: 'deleted' as const }
    await client.shareTransactions({ ...about, transactions: [deleted] })
    await client.shareTransactions({ ...about, transactions })
    const states = (await rows('shared_transactions', about)).map(row => row.state).sort()
    expect(states).toEqual(['completed', 'completed', 'deleted'])
  })

  test('accounts, where the newest balance counts; invoices; activity', async () => {
    const about = await company()
    const day = await today(app)
    const balance = (amount: number, on: string) => ({
      id: 'main',
      amount,
      last_updated_at: `${on}T00:00:00Z`,
    })
    await client.shareAccounts({ ...about, accounts: [balance(500, day)] })
    await client.shareAccounts({ ...about, accounts: [balance(900, plusDays(day, -3))] })
    expect((await rows('shared_accounts', about)).map(row => row.amount)).toEqual([500n])

    const invoice = {
      direction: 'receivable' as const,
      invoice_number: 'F-1',
      net_amount: 1000,
      issued_at: plusDays(day, -20),
      due_at: plusDays(day, 10),
      tax_amount: 200,
      seller: about,
      buyer: { identifier: 'A customer', identifier_type: 'name' as const },
    }
    const at = (on: string) => `${on}T00:00:00Z`
    const result = { ...invoice, issued_at: at(invoice.issued_at), due_at: at(invoice.due_at) }
    await client.shareInvoices({ ...about, invoices: [result, result] })
    await client.shareInvoices({ ...about, invoices: [{ ...result, to_pay_amount: 0 }] })
    const kept = await rows('shared_invoices', about)
    expect(kept).toMatchObject([{ total_amount: 1200n, to_pay_amount: 0n }])

    const periods = [{ from: plusDays(day, -30), to: plusDays(day, -1), amount: 5, count: 1 }]
    await client.shareActivity({ ...about, kind: 'SALES', periods })
    await client.shareActivity({
      ...about,
      kind: 'SALES',
      periods: [{ ...periods[0]!, amount: 7 }],
    })
    expect((await rows('shared_activity', about)).map(row => row.amount)).toEqual([7n])
  })
})

test('ten thousand transactions fit in one call', async () => {
  const about = await company()
  const day = plusDays(await today(app), -1)
  const transactions = Array.from({ length: 10_000 }, (_, i) => income(day, 100 + i, `t${i}`))
  await client.shareTransactions({ ...about, transactions })
  expect(await rows('shared_transactions', about)).toHaveLength(10_000)
})

describe('faults', () => {
  test('are all reported by index, and nothing is written', async () => {
    const about = await company()
    const day = plusDays(await today(app), -1)
    const transactions = [
      income(day, 1),
      income(plusDays(day, 3), 1),
      { ...income(day, -1), side: 'credit' as const },
      { ...income(day, 1), at: '2026-13-01T00:00:00Z' },
    ]
    const wrong = client.shareTransactions({ ...about, identifier: '732829321', transactions })
    expect(Object.keys(await faultsOf(wrong)).sort()).toEqual([
      'identifier',
      'transactions.1.at',
      'transactions.2.amount',
      'transactions.3.at',
    ])
    expect(await rows('shared_transactions', about)).toEqual([])
  })

  test("transactions lie within the call's period, which ends after its start", async () => {
    const about = await company()
    const day = await today(app)
    const span = { start_date: `${plusDays(day, -5)}T00:00:00Z`, end_date: `${day}T00:00:00Z` }
    const transactions = [income(plusDays(day, -6), 1), income(plusDays(day, -4), 1)]
    expect(await faultsOf(client.shareTransactions({ ...about, ...span, transactions }))).toEqual({
      'transactions.0.at': 'is not in the period of the call',
    })
    const periods = [{ from: day, to: plusDays(day, -1), amount: 1, count: 1 }]
    const backwards = client.shareActivity({ ...about, kind: 'PLATFORM', periods })
    expect(await faultsOf(backwards)).toEqual({ 'periods.0.to': 'is before from' })
  })

  test('an invoice involves the company and is due after its issue date', async () => {
    const [about, other] = [await company(), await company()]
    const invoice = {
      direction: 'payable' as const,
      invoice_number: 'F-1',
      net_amount: 1,
      issued_at: '2026-03-02T00:00:00Z',
      due_at: '2026-03-01T00:00:00Z',
      seller: about,
      buyer: other,
    }
    expect(await faultsOf(client.shareInvoices({ ...about, invoices: [invoice] }))).toEqual({
      'invoices.0.due_at': 'is before issued_at',
      'invoices.0.buyer': 'is another company than identifier',
    })
  })

  test('a name alone does not identify a company', async () => {
    const named = { identifier: 'Boulangerie Moreau', identifier_type: 'name' as const }
    expect(await faultsOf(client.shareAccounts({ ...named, accounts: [] }))).toEqual({
      identifier_type: 'a name does not tell one company',
    })
  })
})

describe('batches', () => {
  const nothing = { shared_data_types: [] }

  test('received data is compared with the announced data, and counts once closed', async () => {
    const about = await company()
    const day = await today(app)
    const at = `${day}T00:00:00Z`
    const batch = await client.createDataBatch({
      business_identifier: about,
      context: 'BORROWER_CREATION',
      content: {
        accounts: { total_count: 2 },
        account_transactions: [
          { account: 'main', start_date: `${plusDays(day, -90)}T00:00:00Z`, end_date: at },
        ],
        shared_data_types: ['accounts', 'invoices'],
      },
    })
    expect(batch).toMatchObject({ status: 'CREATED', business_identifier: about })
    const batch_id = batch.id
    const account = { id: 'main', amount: 1, last_updated_at: at }
    await client.shareAccounts({ ...about, batch_id, accounts: [account, account] })
    const problem = await refusal(client.closeDataBatch({ batch_id }))
    expect(problem).toMatchObject({ status: 409, code: 'batch_incomplete' })
    expect(problem.invalid_params.map(p => p.name)).toEqual([
      'content.shared_data_types',
      'content.accounts.total_count',
      'content.account_transactions.0',
    ])
    expect(await rows('shared_accounts', about)).toEqual([])

    await client.shareAccounts({ ...about, batch_id, accounts: [{ ...account, id: 'second' }] })
    await client.shareInvoices({ ...about, batch_id, invoices: [] })
    const transactions = [income(plusDays(day, -1), 100)]
    await client.shareTransactions({ ...about, batch_id, transactions })
    expect(await client.closeDataBatch({ batch_id })).toMatchObject({ status: 'CLOSING_SCHEDULED' })
    const late = client.shareAccounts({ ...about, batch_id, accounts: [account] })
    expect(await refusal(late)).toMatchObject({ status: 409, code: 'state_conflict' })
    await app.drain()
    expect(await client.closeDataBatch({ batch_id })).toMatchObject({ status: 'CLOSED' })
    expect(await rows('shared_accounts', about)).toHaveLength(2)
    expect(await rows('shared_transactions', about)).toHaveLength(1)
    expect(await rows('data_batches', about)).toMatchObject([{ status: 'CLOSED' }])
  })

  test('one is open at a time: opening another cancels the first, or is refused', async () => {
    const about = await company()
    const input = { business_identifier: about, context: 'DATA_REFRESH' as const, content: nothing }
    const first = await client.createDataBatch(input)
    const last_updated_at = `${await today(app)}T00:00:00Z`
    const accounts = [{ id: 'main', amount: 1, last_updated_at }]
    await client.shareAccounts({ ...about, batch_id: first.id, accounts })
    const kept = client.createDataBatch({ ...input, auto_cancel_ongoing_batch_for_business: false })
    expect(await refusal(kept)).toMatchObject({ status: 409, code: 'state_conflict' })
    const second = await client.createDataBatch(input)
    const closing = await refusal(client.closeDataBatch({ batch_id: first.id }))
    expect(closing).toMatchObject({ status: 409, code: 'state_conflict' })
    await client.closeDataBatch({ batch_id: second.id })
    await app.drain()
    expect(await rows('shared_accounts', about)).toEqual([])
  })

  test('a batch being closed is kept, even if another is opened concurrently', async () => {
    const about = await company()
    const input = { business_identifier: about, context: 'DATA_REFRESH' as const, content: nothing }
    const { id: batch_id } = await client.createDataBatch(input)
    const account = { id: 'main', amount: 7, last_updated_at: `${await today(app)}T00:00:00Z` }
    await client.shareAccounts({ ...about, batch_id, accounts: [account] })
    await client.closeDataBatch({ batch_id })
    await client.createDataBatch({ ...input, auto_cancel_ongoing_batch_for_business: false })
    await app.drain()
    expect(await client.closeDataBatch({ batch_id })).toMatchObject({ status: 'CLOSED' })
    expect(await rows('shared_accounts', about)).toMatchObject([{ amount: 7n }])
  })

  test('a correction holds, even if the batch with the older value closes later', async () => {
    const about = await company()
    const day = plusDays(await today(app), -2)
    const input = { business_identifier: about, context: 'DATA_REFRESH' as const, content: nothing }
    const { id: batch_id } = await client.createDataBatch(input)
    const gone = { ...income(day, 5, 'b'), status: 'deleted' as const }
    const before = [income(day, 900, 'a'), gone]
    await client.shareTransactions({ ...about, batch_id, transactions: before })
    const transactions = [income(day, 100, 'a'), income(day, 5, 'b')]
    await client.shareTransactions({ ...about, transactions })
    await client.closeDataBatch({ batch_id })
    await app.drain()
    const kept = await rows('shared_transactions', about)
    expect(kept.map(row => [row.transaction_key, row.amount, row.state]).sort()).toEqual([
      ['salt a', 100n, 'completed'],
      ['salt b', 5n, 'deleted'],
    ])
  })

  test('ten opened concurrently leave one', async () => {
    const about = await company()
    const input = { business_identifier: about, context: 'DATA_REFRESH' as const, content: nothing }
    await Promise.all(Array.from({ length: 10 }, () => client.createDataBatch(input)))
    const kept = (await rows('data_batches', about)).map(row => row.status)
    expect(kept.filter(status => status === 'CREATED')).toHaveLength(1)
    expect(kept.filter(status => status === 'CANCELED')).toHaveLength(9)
  })

  test("another partner's batch is 404, another company's 422", async () => {
    const [about, other] = [await company(), await company()]
    const input = { business_identifier: about, context: 'DATA_REFRESH' as const, content: nothing }
    const { id } = await client.createDataBatch(input)
    for (const call of [
      () => app.second.closeDataBatch({ batch_id: id }),
      () => app.second.shareAccounts({ ...about, batch_id: id, accounts: [] }),
      () => client.closeDataBatch({ batch_id: newId() }),
    ]) {
      expect(await refusal(call())).toMatchObject({ status: 404, code: 'resource_unknown' })
    }
    const foreign = client.shareAccounts({ ...other, batch_id: id, accounts: [] })
    expect(await faultsOf(foreign)).toEqual({ batch_id: 'is a batch of another company' })
    const empty = await client.closeDataBatch({ batch_id: id })
    expect(empty.status).toBe('CLOSING_SCHEDULED')
  })
})

test('a transaction period that ends before it begins is a fault', async () => {
  const about = await company()
  const period = { start_date: '2026-10-01T00:00:00Z', end_date: '2026-09-01T00:00:00Z' }
  const sharing = client.shareTransactions({ ...about, ...period, transactions: [] })
  expect(await faultsOf(sharing)).toEqual({ end_date: 'is before start_date' })
})

test('data shared by one partner is invisible to another', async () => {
  const borrower = await readyBorrower(app)
  const about = { identifier: borrower.identifier, identifier_type: 'siren' as const }
  const day = await today(app)
  const periods = [{ from: plusDays(day, -60), to: day, amount: 900_000_000, count: 10 }]
  await app.second.shareActivity({ ...about, kind: 'SALES', periods })
  await app.drain()
  const { data } = await client.listCreditLines({ borrower: [borrower.id] })
  expect(data[0]!.pool_amount).toBe(5_000_000)
  const segment = await client.getBusinessSegment({ business_id: borrower.id })
  expect(segment.defacto_segment).toBeNull()
})
