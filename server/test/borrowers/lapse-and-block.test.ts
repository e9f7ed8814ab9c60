/** Automatic changes to borrowers: mandates lapse; borrowers are blocked and unblocked. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import {
  blockBorrowers,
  lapseMandates,
  unblockBorrowers,
} from '../../src/companies/borrowers/index.ts'
import { markMandatesUsed } from '../../src/companies/borrowers/store.ts'
import { runPaged } from '../../src/platform/db/slices.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { addMonths, day } from '../../src/platform/kit/dates.ts'
import { testApp } from '../support/app.ts'
import { readyBorrower, today } from '../support/story.ts'

const app = await testApp({ work: false })
const { client } = app

function asService<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return transaction(app.context.database, { partners: '*', actor: 'service' }, work)
}

async function lapse(): Promise<number> {
  return runPaged(app.context.database, lapseMandates(day(await today(app))))
}

/** A READY borrower whose mandate was signed this many months ago and never used. */
async function borrowerSigned(months: number) {
  const { identifier } = await client.generateSandboxBusiness({ country: 'FRA' })
  const created = await client.createBorrower({ identifier, signed_at: '2020-01-01T00:00:00Z' })
  const { iban, bank_identifier } = await client.generateSandboxIban({ country: 'FRA' })
  const signed_on = addMonths(day(await today(app)), -months)
  const method = await client.addRepaymentMethod({
    borrower_id: created.id,
    payment_method: 'DIRECT_DEBIT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
    from_account: { account_number: iban, bank_identifier },
    representative: { birth_date: '1980-05-03', nationality: 'FR', country_of_residence: 'FR' },
    business_email: 'office@garnier.example',
    mandate: { scheme: 'CORE', signed_at: `${signed_on}T12:00:00Z` },
  })
  return { borrower_id: created.id, method }
}

async function stateOf(borrower_id: string) {
  const { status } = await client.getBorrower({ borrower_id })
  const { data } = await client.listRepaymentMethods({ borrower_id })
  return { status, methods: data.map(m => [m.payment_method, m.status, m.is_main]) }
}

test('a mandate lapses after 36 months without use, and its method with it', async () => {
  const old = await borrowerSigned(37)
  const young = await borrowerSigned(35)
  const backed = await borrowerSigned(37)
  await client.addRepaymentMethod({
    borrower_id: backed.borrower_id,
    payment_method: 'SCT',
    is_default_repayment_method: false,
    apply_to_all_active_loans: false,
  })
  const used = await borrowerSigned(37)
  await asService(async tx => {
    const mandates = await tx.all(sql<{ partner_id: string; id: string }>`
      select partner_id, id from mandates where borrower_id = ${used.borrower_id}`)
    await markMandatesUsed(tx, mandates, addMonths(tx.today, -2))
  })
  expect(await lapse()).toBe(2)
  expect(await lapse()).toBe(0)
  const alive = { status: 'READY', methods: [['DIRECT_DEBIT', 'READY', true]] }
  expect(await stateOf(young.borrower_id)).toEqual(alive)
  expect(await stateOf(used.borrower_id)).toEqual(alive)
  expect(await stateOf(old.borrower_id)).toEqual({
    status: 'SIGNED',
    methods: [['DIRECT_DEBIT', 'DEACTIVATED', false]],
  })
  expect(await stateOf(backed.borrower_id)).toEqual({
    status: 'READY',
    methods: [
      ['SCT', 'READY', true],
      ['DIRECT_DEBIT', 'DEACTIVATED', false],
    ],
  })
})

test('after a lapse another method makes the borrower READY again, on its old line', async () => {
  const { borrower_id } = await borrowerSigned(37)
  const before = await client.listCreditLines({ borrower: [borrower_id] })
  expect(await lapse()).toBe(1)
  const product = await client.listBorrowerFinancialProducts({ borrower_id })
  expect(product.data[0]).toMatchObject({ status: 'PENDING_USER_ACTION', can_request_loan: false })
  await client.addRepaymentMethod({
    borrower_id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  expect((await client.getBorrower({ borrower_id })).status).toBe('READY')
  const { data } = await client.listCreditLines({ borrower: [borrower_id] })
  expect(data.map(line => line.id)).toEqual(before.data.map(line => line.id))
})

test('a borrower is blocked for one reason, and unblocked only for that reason', async () => {
  const { id } = await readyBorrower(app)
  const borrower = { partner_id: app.partner_id, id }
  await asService(tx => blockBorrowers(tx, [borrower], 'LATE_REPAYMENT_BORROWER'))
  const blocked = await client.getBorrower({ borrower_id: id })
  expect(blocked).toMatchObject({ status: 'BLOCKED', status_reason: 'LATE_REPAYMENT_BORROWER' })
  await asService(tx => blockBorrowers(tx, [borrower], 'BORROWER_DEFAULTED'))
  await asService(tx => unblockBorrowers(tx, [borrower], 'BORROWER_DEFAULTED'))
  expect(await client.getBorrower({ borrower_id: id })).toMatchObject({
    status: 'BLOCKED',
    status_reason: 'LATE_REPAYMENT_BORROWER',
  })
  await asService(tx => unblockBorrowers(tx, [borrower], 'LATE_REPAYMENT_BORROWER'))
  const free = await client.getBorrower({ borrower_id: id })
  expect(free).toMatchObject({ status: 'READY', status_reason: null })
})

test('an unblocked borrower without a method has to set one up', async () => {
  const { identifier } = await client.generateSandboxBusiness({ country: 'FRA' })
  const { id } = await client.createBorrower({ identifier, signed_at: '2026-01-01T00:00:00Z' })
  const borrower = { partner_id: app.partner_id, id }
  await asService(tx => blockBorrowers(tx, [borrower], 'LATE_REPAYMENT_BORROWER'))
  await asService(tx => unblockBorrowers(tx, [borrower], 'LATE_REPAYMENT_BORROWER'))
  expect((await client.getBorrower({ borrower_id: id })).status).toBe('SIGNED')
})
