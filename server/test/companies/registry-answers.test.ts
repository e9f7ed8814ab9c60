/** Answers of registries are rows: requests read them, and a job asks when they run out. */
import { sql } from 'kysely'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  generateCompany,
  generateIban,
} from '../../src/integrations/adapters/sandbox/generators.ts'
import type { Company, Registry, RegistryAnswer } from '../../src/integrations/ports/registry.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { ENTRY, enter, keyOf, type Pair, waitsOf } from '../support/companies.ts'
import { createOperators } from '../support/console.ts'
import { declareInvoice, lendOnInvoices } from '../support/invoice-loans.ts'
import { runSql } from '../support/money.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'
import { until } from '../support/until.ts'

let app: TestApp
let pair: Pair
/** What the registry answers by number; unavailable without an entry. */
const answers = new Map<string, 'found' | 'unknown'>()
const asked: string[] = []

const COMPANY = {
  name: 'Registered SARL',
  legal_form: 'SARL',
  vat_number: null,
  address: { city: 'Lyon', postal_code: '69001' },
  activity_description: null,
  nace_code: null,
  creation_date: '2010-01-01',
  share_capital: 1_000_000,
  is_active: true,
  insolvent_since: null,
}

const registry: Registry = {
  answers_at_once: false,
  find: async ({ identifier, identifier_type, country }): Promise<RegistryAnswer> => {
    asked.push(identifier)
    const result = answers.get(identifier)
    if (!result) return { result: 'unavailable' }
    const origin = { source: 'manual', fetched_at: new Date(), raw: Buffer.from('{}') }
    if (result === 'unknown') return { ...origin, result }
    const company: Company = { ...COMPANY, identifier, identifier_type, country }
    return { ...origin, result, company }
  },
}

beforeAll(async () => {
  app = await testApp({ work: false, adapters: { registry: 'manual' } })
  Object.assign(app.context.ports, { registry })
  pair = await createOperators(app)
})

const eligibility = async (identifier: string) => {
  const question = { identifier, identifier_type: 'siren' } as const
  return JSON.stringify(await app.client.checkBorrowerEligibility(question))
}

test('a request asks nothing outside: a job does, once an hour', async () => {
  const number = '732829320'
  answers.set(number, 'found')
  expect(await eligibility(number)).toContain('DATA_STILL_REFRESHING')
  expect(await eligibility(number)).toContain('DATA_STILL_REFRESHING')
  expect(asked).toEqual([])
  await app.drain()
  expect(asked).toEqual([number])
  expect(await eligibility(number)).not.toContain('DATA_STILL_REFRESHING')
  await app.drain()
  expect(asked).toEqual([number])
})

test('a company that the registry does not know is refused', async () => {
  const number = '552100554'
  answers.set(number, 'unknown')
  await eligibility(number)
  await app.drain()
  expect(await eligibility(number)).toContain('BUSINESS_UNKNOWN')
  await expect(app.client.createBorrower({ identifier: number })).rejects.toThrow('register')
  const business = { identifier: number, identifier_type: 'siren' } as const
  const session = await app.client.createOnboarding({ preferred_language: 'fr', business })
  expect(JSON.stringify(session.eligibility)).toContain('BUSINESS_UNKNOWN')
})

test('a borrower is created while the registry is down, and its loan waits', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  expect(borrower.compliance_checks.status).toBe('APPROVED')
  const loan = await requestLoan(app, borrower, { amount: 5_000 })
  expect(loan.status).toBe('PENDING_VALIDATION')
  await app.drain()
  expect((await app.client.getLoan({ loan_id: loan.id! })).status).toBe('PENDING_VALIDATION')
  expect(await waitsOf(pair.ana, keyOf(borrower.identifier))).toEqual(['ENTRY'])
  answers.set(borrower.identifier, 'found')
  // The nightly run asks again.
  await app.client.advanceSandboxClock({ days: 1 })
  await app.drain()
  expect((await app.client.getLoan({ loan_id: loan.id! })).status).toBe('TO_REPAY')
  expect(await waitsOf(pair.ana, keyOf(borrower.identifier))).toEqual([])
})

test('a stale answer serves while it is usable, and is asked for again', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  answers.set(borrower.identifier, 'found')
  await app.client.advanceSandboxClock({ days: 1 })
  await app.drain()
  answers.delete(borrower.identifier)
  await runSql(
    app,
    `update registry_answers set fresh_until = '2027-01-01', ask_again_at = '2027-01-01'
     where identifier = $1`,
    [borrower.identifier],
  )
  const loan = await requestLoan(app, borrower, { amount: 5_000 })
  await app.drain()
  expect((await app.client.getLoan({ loan_id: loan.id! })).status).toBe('TO_REPAY')
  expect(asked.filter(number => number === borrower.identifier).length).toBeGreaterThan(1)
})

test('an invoice waits until its parties are known, and then so does its loan', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  await enter(pair, borrower.identifier)
  await app.drain()
  const invoice = await declareInvoice(app, borrower, 'Invoice')
  expect(invoice.status).toBe('SUBMITTED')
  const loan = await lendOnInvoices(app, borrower, invoice.id)
  expect(loan.status).toBe('PENDING_VALIDATION')
  const early = await pair.ana.call('POST', `/admin/invoice/${invoice.id}/verify`)
  expect(early).toMatchObject({ status: 409 })
  await enter(pair, invoice.buyer!.identifier, { name: `${ENTRY.name} Clients` })
  await app.drain()
  const { data } = await app.client.listCounterparties({})
  const buyer = data.find(one => one.identifier === invoice.buyer!.identifier)
  expect(buyer!.credit_limit.max_amount).toBeGreaterThan(0)
  await pair.ana.admin('verifyInvoice', { params: { invoice_id: invoice.id } })
  await app.drain()
  expect((await app.client.getLoan({ loan_id: loan.id! })).status).not.toBe('PENDING_VALIDATION')
  expect((await app.client.getLoan({ loan_id: loan.id! })).status).not.toBe('DECLINED')
})

test('a borrower whose company is known while it is being created is completed', async () => {
  const { identifier } = generateCompany('FRA', 91)
  const { bank } = app.context.ports
  const account_number = generateIban('FRA', 'SUCCESS', 91)
  Object.assign(app.context.ports, {
    bank: {
      ...bank,
      verifyPayee: async () => {
        await enter(pair, identifier)
        return 'match'
      },
    },
  })
  onTestFinished(() => void Object.assign(app.context.ports, { bank }))
  const { id } = await app.client.createBorrower({
    identifier,
    name: 'Given name',
    account_number,
  })
  Object.assign(app.context.ports, { bank })
  expect((await app.client.getBorrower({ borrower_id: id })).legal_form).toBeNull()
  await app.drain()
  expect(await app.client.getBorrower({ borrower_id: id })).toMatchObject({
    name: 'Given name',
    legal_form: ENTRY.legal_form,
  })
})

test('a loan that waited for the answer is decided, although a later one was before', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  await enter(pair, borrower.identifier)
  await app.drain()
  const ended = `update registry_answers set fresh_until = '2027-01-01',
    usable_until = '2027-01-01' where identifier = $1`
  await runSql(app, ended, [borrower.identifier])
  const first = await requestLoan(app, borrower, { amount: 5_000 })
  expect(first.status).toBe('PENDING_VALIDATION')
  await enter(pair, borrower.identifier)
  // Decided before the job that follows the entry.
  const second = await requestLoan(app, borrower, { amount: 6_000 })
  expect(second.status).not.toBe('PENDING_VALIDATION')
  await app.drain()
  const { status } = await app.client.getLoan({ loan_id: first.id! })
  expect(status).not.toBe('PENDING_VALIDATION')
})

test('an answer that comes while a loan is requested decides that loan', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  await app.drain()
  const { identifier } = borrower
  const due = `update registry_answers set ask_again_at = '2027-01-01' where identifier = $1`
  await runSql(app, due, [identifier])
  const { bank } = app.context.ports
  const isAsked = () =>
    transaction(app.context.database, { partners: '*', read_only: true }, tx =>
      tx.maybe(sql`
        select from registry_answers
        where identifier = ${identifier} and ask_again_at > '2027-01-01'`),
    )
  const verifyPayee = async () => {
    Object.assign(app.context.ports, { bank })
    // The request starts the look-up after it has found no answer.
    await until(isAsked)
    await enter(pair, identifier)
    await app.drain()
    return 'match'
  }
  Object.assign(app.context.ports, { bank: { ...bank, verifyPayee } })
  onTestFinished(() => void Object.assign(app.context.ports, { bank }))
  const loan = await requestLoan(app, borrower, { amount: 5_000 })
  expect(loan.status).toBe('PENDING_VALIDATION')
  await app.drain()
  expect((await app.client.getLoan({ loan_id: loan.id! })).status).toBe('TO_REPAY')
})

test('an answer that no longer holds completes no borrower and no counterparty', async () => {
  const generated = {
    ...(await app.client.generateSandboxBusiness({ is_borrower: true })),
    legal_form: null,
  }
  const { identifier } = generated
  await enter(pair, identifier)
  const ended = `update registry_answers set fresh_until = '2027-01-01',
    usable_until = '2027-01-01' where identifier = $1`
  await runSql(app, ended, [identifier])
  const generating = { ...app.client, generateSandboxBusiness: async () => generated }
  const borrower = await readyBorrower({ client: generating }, 'SCT')
  await app.client.createCounterparty({
    identifier,
    identifier_type: 'siren',
    relation_types: ['CLIENT'],
  })
  await app.drain()
  expect((await app.client.getBorrower({ borrower_id: borrower.id })).legal_form).toBeNull()
  const { data } = await app.client.listCounterparties({})
  const party = data.find(one => one.identifier === identifier)
  expect(party!.credit_limit.max_amount_details).toBe('DATA_STILL_REFRESHING')
  const loan = await requestLoan(app, borrower, { amount: 5_000 })
  await app.drain()
  const { status } = await app.client.getLoan({ loan_id: loan.id! })
  expect(status).toBe('PENDING_VALIDATION')
})

test('an insolvency stays known while the registry is silent', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  await enter(pair, borrower.identifier, { insolvent_since: '2026-05-04' })
  await app.drain()
  const ended = `update registry_answers set fresh_until = '2027-01-01',
    usable_until = '2027-01-01' where identifier = $1`
  await runSql(app, ended, [borrower.identifier])
  const loan = await requestLoan(app, borrower, { amount: 5_000 })
  expect(loan).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'INSOLVENCY_PROCEDURE_EXISTS_BORROWER',
  })
})

test('a registry that does not know a company overwrites no entry', async () => {
  await runSql(app, "insert into registry_sources values ('register', 1, 7)", [])
  const { identifier } = generateCompany('FRA', 92)
  await eligibility(identifier)
  const find = registry.find
  const raw = Buffer.from('{}')
  Object.assign(registry, {
    find: async () => {
      await enter(pair, identifier)
      return { result: 'unknown', source: 'register', fetched_at: new Date('2030-01-01'), raw }
    },
  })
  onTestFinished(() => void Object.assign(registry, { find }))
  await app.drain()
  Object.assign(registry, { find })
  expect(await eligibility(identifier)).not.toContain('BUSINESS_UNKNOWN')
  expect((await app.client.createBorrower({ identifier })).name).toBe(ENTRY.name)
})

test('a company that no registry knows is listed, and its invoice party says so', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  const { identifier: party } = generateCompany('FRA', 93)
  await app.client.createCounterparty({
    identifier: party,
    identifier_type: 'siren',
    relation_types: ['CLIENT'],
  })
  answers.set(borrower.identifier, 'unknown')
  answers.set(party, 'unknown')
  await app.client.advanceSandboxClock({ days: 1 })
  await app.drain()
  expect(await waitsOf(pair.ana, keyOf(borrower.identifier))).toEqual(['ENTRY'])
  const { data } = await app.client.listCounterparties({})
  const buyer = data.find(one => one.identifier === party)
  expect(buyer!.credit_limit.max_amount_details).toBe('COUNTERPARTY_NOT_REGISTERED')
})

test('books and history stay sound', async () => {
  expect((await app.verify()).findings).toEqual([])
})
