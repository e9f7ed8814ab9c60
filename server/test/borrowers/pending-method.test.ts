/** Live mode: a mandate waits for its confirmation, and the previous method serves until then. */
import { AddRepaymentMethodBody, type RepaymentMethod } from '@headroom/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import {
  advanceBorrower,
  enableMethod,
  lockBorrowers,
  type MethodRow,
} from '../../src/companies/borrowers/index.ts'
import {
  addRepaymentMethod,
  checkMethod,
} from '../../src/companies/borrowers/repayment-methods/add-repayment-method.ts'
import { requireValid } from '../../src/context.ts'
import { type Database, type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { testApp } from '../support/app.ts'

const app = await testApp({ work: false })
const { client } = app
const { database } = app.context
const live: Database = { ...database, settings: { ...database.settings, mode: 'live' } }

function inLive<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return transaction(live, { partners: '*', actor: 'service' }, work)
}

async function signedBorrower(): Promise<string> {
  const { identifier } = await client.generateSandboxBusiness({ country: 'FRA' })
  const created = await client.createBorrower({ identifier, signed_at: '2026-01-01T00:00:00Z' })
  return created.id
}

async function addDebit(borrower_id: string): Promise<string> {
  const { iban, bank_identifier } = await client.generateSandboxIban({ country: 'FRA' })
  const body = AddRepaymentMethodBody.parse({
    payment_method: 'DIRECT_DEBIT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
    from_account: { account_number: iban, bank_identifier },
    representative: { birth_date: '1980-05-03', nationality: 'FR', country_of_residence: 'FR' },
    business_email: 'office@garnier.example',
  })
  return inLive(async tx => {
    const [borrower] = await lockBorrowers(tx, [{ partner_id: app.partner_id, id: borrower_id }])
    const method = requireValid(await checkMethod(tx, borrower!, body, true))
    return addRepaymentMethod(tx.as('test'), method, body)
  })
}

async function confirm(method_id: string): Promise<void> {
  await inLive(async tx => {
    const method = await tx.one(sql<MethodRow>`
      select * from repayment_methods where id = ${method_id}`)
    const { borrower_id, partner_id } = method
    await lockBorrowers(tx, [{ partner_id, id: borrower_id }])
    await enableMethod(tx.as('operator'), method)
    await advanceBorrower(tx.as('operator'), { borrower_id, partner_id })
  })
}

async function methodsOf(borrower_id: string) {
  const { data } = await client.listRepaymentMethods({ borrower_id })
  return new Map<string, RepaymentMethod>(data.map(method => [method.id, method]))
}

test('without a method in force the borrower waits for the confirmation', async () => {
  const borrower_id = await signedBorrower()
  const id = await addDebit(borrower_id)
  expect((await methodsOf(borrower_id)).get(id)).toMatchObject({
    status: 'PENDING_VALIDATION',
    is_main: false,
    mandate: { status: 'PENDING_VALIDATION' },
  })
  expect((await client.getBorrower({ borrower_id })).status).toBe('SIGNED')
  await confirm(id)
  expect((await methodsOf(borrower_id)).get(id)).toMatchObject({
    status: 'READY',
    is_main: true,
    mandate: { status: 'READY' },
  })
  expect((await client.getBorrower({ borrower_id })).status).toBe('READY')
})

test('the previous default method stays in force until the new one is confirmed', async () => {
  const borrower_id = await signedBorrower()
  const { id: old } = await client.addRepaymentMethod({
    borrower_id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  const id = await addDebit(borrower_id)
  expect((await methodsOf(borrower_id)).get(old)).toMatchObject({ status: 'READY', is_main: true })
  await confirm(id)
  const after = await methodsOf(borrower_id)
  expect(after.get(id)).toMatchObject({ status: 'READY', is_main: true })
  expect(after.get(old)).toMatchObject({ status: 'READY', is_main: false })
})
