/** Onboarding sessions: begun by a partner, ended by a signature, whichever way it comes. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Tx, transaction } from '../../../src/db/transaction.ts'
import {
  acceptTerms,
  chooseCompany,
  chooseRepayment,
  isResumeSignature,
  nameRepresentative,
} from '../../../src/onboardings/index.ts'
import { type TestHouse, testHouse, until } from '../../support/house.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'

let house: TestHouse
beforeAll(async () => {
  house = await testHouse()
})

async function someCompany() {
  return house.client.generateSandboxBusiness({ is_borrower: true })
}

async function begun(wish: { referral?: string } = {}) {
  const made = await someCompany()
  const { identifier, identifier_type } = made
  const business = { identifier, identifier_type }
  const session = await house.client.createOnboarding({
    preferred_language: 'fr-FR',
    business,
    email: 'anna@example.com',
    ...wish,
  })
  return { made, session, business }
}

const read = (onboarding_id: string) => house.client.getOnboarding({ onboarding_id })

test('a session tells its company, whether it could borrow, and how to go on', async () => {
  const { session, business } = await begun({ referral: 'spring-mail' })
  expect(session).toMatchObject({
    status: 'CREATED',
    is_expired: false,
    borrower_id: null,
    business,
    referral: 'spring-mail',
    preferred_language: 'fr',
    eligibility: {
      status: 'DONE',
      finished_processing: true,
      response: { is_eligible: true, reasons: [], max_amount: 5_000_000, fees_daily_rate: 0.05 },
    },
    user: { email: 'anna@example.com', total_active_tenants: 0 },
  })
  const link = new URL(session.secure_resume_link!)
  expect(link.pathname).toBe(`/onboarding/${session.id}`)
  const signature = link.searchParams.get('signature')!
  const { settings } = house.context.database
  expect(isResumeSignature(settings, session.id, signature)).toBe(true)
  expect(isResumeSignature(settings, randomUUID(), signature)).toBe(false)
  expect(await read(session.id)).toEqual(session)
})

test('it may begin with nothing but a language', async () => {
  const session = await house.client.createOnboarding({ preferred_language: 'nl' })
  expect(session).toMatchObject({ business: null, eligibility: null, user: null })
  expect(session.referral).toBe('Demo Payments')
})

test('all faults at once', async () => {
  const faults = await faultsOf(
    house.client.createOnboarding({
      preferred_language: 'pl',
      email: 'nobody',
      redirect_url: 'javascript:alert(1)',
    }),
  )
  expect(Object.keys(faults).sort()).toEqual(['email', 'preferred_language', 'redirect_url'])
  const wrong = { identifier: '404833047', identifier_type: 'siren' } as const
  const number = house.client.createOnboarding({ preferred_language: 'fr', business: wrong })
  expect(Object.keys(await faultsOf(number))).toEqual(['business.identifier'])
})

test('another partner does not see it', async () => {
  const { session } = await begun()
  const call = house.second.getOnboarding({ onboarding_id: session.id })
  expect((await refusal(call)).code).toBe('resource_unknown')
})

describe('a partner that creates and signs the borrower itself', () => {
  test('completes the session', async () => {
    const { session, business } = await begun()
    const { id } = await house.client.createBorrower(business)
    expect(await read(session.id)).toMatchObject({ status: 'CREATED', borrower_id: id })
    await house.client.signBorrower({ borrower_id: id, signed_at: new Date().toISOString() })
    const done = await read(session.id)
    expect(done).toMatchObject({
      status: 'COMPLETED',
      borrower_id: id,
      secure_resume_link: null,
    })
    const types = await until(async () => {
      const told = await eventTypes(session.id)
      return told.includes('Onboarding.COMPLETED') && told
    })
    expect(types).toEqual(['Onboarding.CREATED', 'Onboarding.COMPLETED'])
  })

  test('goes on with the newest session; others are duplicates', async () => {
    const { session: older, business } = await begun()
    const newer = await house.client.createOnboarding({ preferred_language: 'fr', business })
    const { id } = await house.client.createBorrower(business)
    expect(await read(newer.id)).toMatchObject({ status: 'CREATED', borrower_id: id })
    expect(await read(older.id)).toMatchObject({ status: 'DUPLICATE', borrower_id: id })
    const late = await house.client.createOnboarding({ preferred_language: 'fr', business })
    expect(late).toMatchObject({ status: 'DUPLICATE', borrower_id: id })
  })
})

const ANNA = {
  first_name: 'Anna',
  last_name: 'Martin',
  birth_date: '1980-05-17',
  nationality: 'FRA',
  country_of_residence: 'FRA',
  email: 'anna@example.com',
}

function write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return transaction(house.context.database, { partners: [house.partner_id] }, work)
}

describe('the steps of the hosted page', () => {
  test.each(['DIRECT_DEBIT', 'SCT'] as const)(
    'make a borrower that is READY by %s',
    async method => {
      const { id } = await house.client.createOnboarding({ preferred_language: 'fr' })
      const made = await someCompany()
      const about = { id, partner_id: house.partner_id }
      const early = await refusal(acceptTerms(house.context, about, new Date()))
      expect(early.code).toBe('state_conflict')
      await chooseCompany(house.context, 'test', about, made)
      await write(tx => nameRepresentative(tx, id, ANNA))
      const account_number = made.account_number
      const bank_identifier = made.bank_identifier
      const how = method === 'SCT' ? { method } : { method, account_number, bank_identifier }
      await write(tx => chooseRepayment(tx, id, how))
      expect(await read(id)).toMatchObject({ step: 'repayment', user: { first_name: 'Anna' } })
      const borrower_id = await acceptTerms(house.context, about, new Date())
      expect(await read(id)).toMatchObject({ status: 'COMPLETED', borrower_id })
      const borrower = await house.client.getBorrower({ borrower_id })
      expect(borrower).toMatchObject({ status: 'READY', identifier: made.identifier })
      const methods = await house.client.listRepaymentMethods({ borrower_id })
      expect(methods.data).toMatchObject([{ payment_method: method, status: 'READY' }])
      const again = await refusal(acceptTerms(house.context, about, new Date()))
      expect(again.code).toBe('state_conflict')
    },
  )

  test('end with a DUPLICATE when the company is a borrower already', async () => {
    const made = await someCompany()
    const borrower = await house.client.createBorrower({ identifier: made.identifier })
    const { id } = await house.client.createOnboarding({ preferred_language: 'fr' })
    await chooseCompany(house.context, 'test', { id, partner_id: house.partner_id }, made)
    expect(await read(id)).toMatchObject({ status: 'DUPLICATE', borrower_id: borrower.id })
  })

  test('refuse an account that cannot be', async () => {
    const { id } = await house.client.createOnboarding({ preferred_language: 'fr' })
    const how = { method: 'DIRECT_DEBIT', account_number: 'FR00', bank_identifier: '?' } as const
    await expect(write(tx => chooseRepayment(tx, id, how))).rejects.toMatchObject({
      code: 'request_invalid',
      extras: { invalid_params: [{ name: 'account_number' }, { name: 'bank_identifier' }] },
    })
  })
})

test('what the sandbox decides of the company shows in its open session', async () => {
  const { session, business } = await begun()
  const business_identifier = business
  await house.client.setSandboxEligibility({ business_identifier, scenario: 'NOT_ELIGIBLE' })
  const { eligibility } = await read(session.id)
  expect(eligibility?.response).toMatchObject({
    is_eligible: false,
    reasons: [{ code: 'BUSINESS_COMPLIANCE_ISSUE_DETECTED' }],
    max_amount: 0,
  })
})

test('after 24 hours of business time it has expired', async () => {
  const { session, business } = await begun()
  await house.client.advanceSandboxClock({ days: 1 })
  const later = await read(session.id)
  expect(later).toMatchObject({ status: 'CREATED', is_expired: true, secure_resume_link: null })
  const step = refusal(write(tx => nameRepresentative(tx, session.id, ANNA)))
  expect((await step).code).toBe('state_conflict')
  const { id } = await house.client.createBorrower(business)
  expect(id).not.toBeNull()
  expect((await read(session.id)).borrower_id).toBeNull()
})

async function eventTypes(resource_id: string): Promise<string[]> {
  const rows = await write(tx =>
    tx.all(sql<{ type: string }>`
      select type from events where resource_id = ${resource_id} order by id`),
  )
  return rows.map(row => row.type)
}
