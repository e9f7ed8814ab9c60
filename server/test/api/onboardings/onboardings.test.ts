/** Onboarding sessions, which end with a signature on the hosted page or through the API. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Tx, transaction } from '../../../src/platform/db/transaction.ts'
import { type TestApp, testApp, until } from '../../support/app.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

async function someCompany() {
  return app.client.generateSandboxBusiness({ is_borrower: true })
}

async function started(input: { referral?: string } = {}) {
  const made = await someCompany()
  const { identifier, identifier_type } = made
  const business = { identifier, identifier_type }
  const session = await app.client.createOnboarding({
    preferred_language: 'fr-FR',
    business,
    email: 'anna@example.com',
    ...input,
  })
  return { made, session, business }
}

const read = (onboarding_id: string) => app.client.getOnboarding({ onboarding_id })

test('the financing need given by the partner is kept', async () => {
  const user_input = {
    desired_amount_euros: 20_000,
    frequency: 'temporary' as const,
    user_need: 'Stock',
    integrations_need: ['accounting'],
    reason_for_not_connecting_bank_account: { answer_code: 'other' as const },
  }
  const started = await app.client.createOnboarding({ preferred_language: 'fr', user_input })
  const kept = {
    ...user_input,
    reason_for_not_connecting_bank_account: { answer_code: 'other', comments: null },
  }
  expect(started).toMatchObject({
    user_input: { ...kept, desired_timeline: null },
    user_need: 'Stock',
    integrations_need: ['accounting'],
  })
  const wrong = { frequency: 'often' as 'permanent', desired_amount_euros: -1, mood: 'good' }
  const refused = app.client.createOnboarding({ preferred_language: 'fr', user_input: wrong })
  expect(Object.keys(await faultsOf(refused)).sort()).toEqual([
    'user_input.desired_amount_euros',
    'user_input.frequency',
    'user_input.mood',
  ])
})

test('a session shows its company, its eligibility and how to continue', async () => {
  const { session, business } = await started({ referral: 'spring-mail' })
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
  expect(new URL(session.secure_resume_link!).pathname).toBe(`/onboarding/${session.id}`)
  expect(await read(session.id)).toEqual(session)
})

test('a session may start with only a language', async () => {
  const session = await app.client.createOnboarding({ preferred_language: 'nl' })
  expect(session).toMatchObject({ business: null, eligibility: null, user: null })
  expect(session.referral).toBe('Demo Payments')
})

test('all faults are reported at once', async () => {
  const faults = await faultsOf(
    app.client.createOnboarding({
      preferred_language: 'pl',
      email: 'nobody',
      redirect_url: 'javascript:alert(1)',
    }),
  )
  expect(Object.keys(faults).sort()).toEqual(['email', 'preferred_language', 'redirect_url'])
  const wrong = { identifier: '404833047', identifier_type: 'siren' } as const
  const number = app.client.createOnboarding({ preferred_language: 'fr', business: wrong })
  expect(Object.keys(await faultsOf(number))).toEqual(['business.identifier'])
})

test('another partner cannot see it', async () => {
  const { session } = await started()
  const call = app.second.getOnboarding({ onboarding_id: session.id })
  expect((await refusal(call)).code).toBe('resource_unknown')
})

describe('a partner that creates and signs the borrower itself', () => {
  test('completes the session', async () => {
    const { session, business } = await started()
    const { id } = await app.client.createBorrower(business)
    expect(await read(session.id)).toMatchObject({ status: 'CREATED', borrower_id: id })
    await app.client.signBorrower({ borrower_id: id, signed_at: new Date().toISOString() })
    const done = await read(session.id)
    expect(done).toMatchObject({
      status: 'COMPLETED',
      borrower_id: id,
      secure_resume_link: null,
    })
    const types = await until(async () => {
      const result = await eventTypes(session.id)
      return result.includes('Onboarding.COMPLETED') && result
    })
    expect(types).toEqual(['Onboarding.CREATED', 'Onboarding.COMPLETED'])
  })

  test('completes the newest session; others are duplicates', async () => {
    const { session: older, business } = await started()
    const newer = await app.client.createOnboarding({ preferred_language: 'fr', business })
    const { id } = await app.client.createBorrower(business)
    expect(await read(newer.id)).toMatchObject({ status: 'CREATED', borrower_id: id })
    expect(await read(older.id)).toMatchObject({ status: 'DUPLICATE', borrower_id: id })
    const late = await app.client.createOnboarding({ preferred_language: 'fr', business })
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
  return transaction(app.context.database, { partners: [app.partner_id], actor: 'service' }, work)
}

/** A new session, a company for it, and a client that, like the page, has no API key. */
async function opened(language = 'fr') {
  const session = await app.client.createOnboarding({ preferred_language: language })
  const signature = new URL(session.secure_resume_link!).searchParams.get('signature')!
  const about = { onboarding_id: session.id, signature }
  const made = await someCompany()
  const company = { country: 'FR' as const, identifier: made.identifier }
  return { about, company, made, page: app.clientOf('') }
}

describe('the steps of the hosted page', () => {
  test.each(['DIRECT_DEBIT', 'SCT'] as const)(
    'create a borrower that is READY by %s',
    async method => {
      const { about, company, made, page } = await opened()
      const found = await page.chooseOnboardingCompany({ ...about, ...company })
      expect(found).toMatchObject({
        status: 'CREATED',
        refused_because: [],
        terms: { version: '2026-07' },
      })
      const { terms } = found
      const agreed = { terms_id: terms!.id, accepts_terms: true }
      const early = await refusal(page.acceptOnboardingTerms({ ...about, ...agreed }))
      expect(early.code).toBe('state_conflict')
      await page.nameOnboardingRepresentative({ ...about, ...ANNA })
      const { account_number, bank_identifier } = made as {
        account_number: string
        bank_identifier: string
      }
      const typed = account_number.replaceAll(/(.{4})/g, '$1 ').toLowerCase()
      const how = method === 'SCT' ? { method } : { method, account_number: typed, bank_identifier }
      const ready = await page.chooseOnboardingRepayment({ ...about, ...how })
      const account_end = method === 'SCT' ? null : account_number.slice(-4)
      expect(ready).toMatchObject({ representative: ANNA, repayment: { method, account_end } })
      if (method === 'DIRECT_DEBIT') {
        const without = page.acceptOnboardingTerms({ ...about, ...agreed, accepts_terms: false })
        expect(Object.keys(await faultsOf(without))).toEqual(['accepts_terms', 'gives_mandate'])
      }
      const other = page.acceptOnboardingTerms({
        ...about,
        ...agreed,
        terms_id: randomUUID(),
        gives_mandate: true,
      })
      expect((await refusal(other)).code).toBe('state_conflict')
      const done = await page.acceptOnboardingTerms({ ...about, ...agreed, gives_mandate: true })
      expect(done).toMatchObject({ status: 'COMPLETED', company: null, representative: null })
      const { borrower_id } = await read(about.onboarding_id)
      const borrower = await app.client.getBorrower({ borrower_id: borrower_id! })
      expect(borrower).toMatchObject({ status: 'READY', identifier: company.identifier })
      const methods = await app.client.listRepaymentMethods({ borrower_id: borrower_id! })
      expect(methods.data).toMatchObject([{ payment_method: method, status: 'READY' }])
      const again = await refusal(page.setOnboardingLanguage({ ...about, language: 'de' }))
      expect(again.code).toBe('state_conflict')
    },
  )

  test("are in the visitor's language; terms are in one of the country", async () => {
    const { about, company, page } = await opened('es')
    expect(await page.getOnboardingPage(about)).toMatchObject({ language: 'es', terms: null })
    const found = await page.chooseOnboardingCompany({ ...about, ...company })
    expect(found).toMatchObject({ language: 'es', terms: { language: 'fr' } })
    const read = await page.setOnboardingLanguage({ ...about, language: 'en' })
    expect(read).toMatchObject({ language: 'en', terms: { language: 'en' } })
    expect(read.mandate.authorisation).toContain('By signing this mandate form')
  })

  test('open only with their link, and do not reveal what else exists', async () => {
    const { about, company, page } = await opened()
    const { about: other } = await opened()
    for (const onboarding_id of [about.onboarding_id, randomUUID()]) {
      const wrong = { onboarding_id, signature: other.signature }
      const refused = [
        () => page.getOnboardingPage(wrong),
        () => page.chooseOnboardingCompany({ ...wrong, ...company }),
      ]
      for (const call of refused) expect((await refusal(call())).code).toBe('signature_invalid')
    }
  })

  test('end as DUPLICATE if the company is already a borrower', async () => {
    const { about, company, page } = await opened()
    const borrower = await app.client.createBorrower({ identifier: company.identifier })
    const found = await page.chooseOnboardingCompany({ ...about, ...company })
    expect(found).toMatchObject({ status: 'DUPLICATE', company: null })
    expect(await read(about.onboarding_id)).toMatchObject({ borrower_id: borrower.id })
  })

  test('report every fault at its field', async () => {
    const { about, company, page } = await opened()
    const wrong = { ...company, identifier: '404833047' }
    const fields = [
      [() => page.chooseOnboardingCompany({ ...about, ...wrong }), ['identifier']],
      [() => page.chooseOnboardingCompany({ ...about, ...company, country: 'DE' }), ['identifier']],
      [
        () =>
          page.nameOnboardingRepresentative({
            ...about,
            ...ANNA,
            birth_date: '2020-01-01',
            nationality: 'ZZZ',
          }),
        ['birth_date', 'nationality'],
      ],
      [
        () =>
          page.chooseOnboardingRepayment({
            ...about,
            method: 'DIRECT_DEBIT',
            account_number: 'FR00',
            bank_identifier: '?',
          }),
        ['account_number', 'bank_identifier'],
      ],
    ] as const
    for (const [call, names] of fields) {
      expect(Object.keys(await faultsOf(call())).sort()).toEqual(names)
    }
  })
})

test('a sandbox outcome for the company shows in its open session', async () => {
  const { session, business } = await started()
  const business_identifier = business
  await app.client.setSandboxEligibility({ business_identifier, scenario: 'NOT_ELIGIBLE' })
  const { eligibility } = await read(session.id)
  expect(eligibility?.response).toMatchObject({
    is_eligible: false,
    reasons: [{ code: 'BUSINESS_COMPLIANCE_ISSUE_DETECTED' }],
    max_amount: 0,
  })
})

test('a session expires after 24 hours of business time', async () => {
  const { session, business } = await started()
  await app.client.advanceSandboxClock({ days: 1 })
  const later = await read(session.id)
  expect(later).toMatchObject({ status: 'CREATED', is_expired: true, secure_resume_link: null })
  const signature = new URL(session.secure_resume_link!).searchParams.get('signature')!
  const about = { onboarding_id: session.id, signature }
  const page = app.clientOf('')
  expect(await page.getOnboardingPage(about)).toMatchObject({ is_expired: true, company: null })
  const step = await refusal(page.nameOnboardingRepresentative({ ...about, ...ANNA }))
  expect(step.code).toBe('state_conflict')
  const { id } = await app.client.createBorrower(business)
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
