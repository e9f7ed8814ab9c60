/**
 * A company that signs online gets its documents by mail. The page says so only if they are sent.
 */
import { beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

/** An onboarding session ready to sign, with the parameters that its page needs. */
async function named(email: string) {
  const made = await app.client.generateSandboxBusiness({ is_borrower: true })
  const session = await app.client.createOnboarding({ preferred_language: 'fr' })
  const signature = new URL(session.secure_resume_link!).searchParams.get('signature')!
  const about = { onboarding_id: session.id, signature }
  const page = app.clientOf('')
  const company = { country: 'FR' as const, identifier: made.identifier }
  const { terms } = await page.chooseOnboardingCompany({ ...about, ...company })
  await page.nameOnboardingRepresentative({
    ...about,
    first_name: 'Anna',
    last_name: 'Martin',
    birth_date: '1980-05-17',
    nationality: 'FRA',
    country_of_residence: 'FRA',
    email,
  })
  return { about, page, made, terms_id: terms!.id }
}

async function mailsTo(to: string) {
  await app.drain()
  return (await app.client.listSandboxMailbox({ to })).data
}

test.each([
  ['DIRECT_DEBIT', 2],
  ['SCT', 1],
] as const)('a borrower that repays by %s gets %i documents', async (method, papers) => {
  const email = `${method.toLowerCase()}@company.example`
  const { about, page, made, terms_id } = await named(email)
  const account_number = made.account_number!
  const bank_identifier = made.bank_identifier!
  const how = method === 'SCT' ? { method } : { method, account_number, bank_identifier }
  await page.chooseOnboardingRepayment({ ...about, ...how })
  expect((await page.getOnboardingPage(about)).documents_mailed).toBe(false)
  const agreed = { terms_id, accepts_terms: true, gives_mandate: method !== 'SCT' }
  const done = await page.acceptOnboardingTerms({ ...about, ...agreed })
  expect(done).toMatchObject({ status: 'COMPLETED', documents_mailed: true })
  const [mail, ...others] = await mailsTo(email)
  expect(others).toEqual([])
  const types = mail!.attachments.map(({ media_type }) => media_type)
  expect(types).toEqual(Array(papers).fill('application/pdf'))
  expect(mail!.subject).toMatch(/^Vos documents /)
})

test('the page mentions no mail if the partner signed instead of the visitor', async () => {
  const { about, page, made } = await named('ben@company.example')
  const { identifier, identifier_type } = made
  const { id } = await app.client.createBorrower({ identifier, identifier_type })
  await app.client.signBorrower({ borrower_id: id, signed_at: new Date().toISOString() })
  const over = { status: 'COMPLETED', documents_mailed: false }
  expect(await page.getOnboardingPage(about)).toMatchObject(over)
  expect(await mailsTo('ben@company.example')).toEqual([])
})
