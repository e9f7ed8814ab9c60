/** Generated companies and IBANs over HTTP. */
import { beforeAll, expect, test } from 'vitest'
import { ibanScenario } from '../../../src/integrations/adapters/sandbox/generators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { refusal } from './story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

test.each(['BEL', 'DEU', 'ESP', 'FRA', 'GUF', 'MAF', 'NLD', 'REU'] as const)(
  'a company of %s can be created, signs, and is READY by direct debit',
  async country => {
    const business = await app.client.generateSandboxBusiness({ country })
    const created = await app.client.createBorrower(business)
    expect(created).toMatchObject({ name: business.name, status: 'TO_SIGN' })
    const signed = await app.client.signBorrower({
      borrower_id: created.id,
      signed_at: new Date().toISOString(),
      wait_for_ready: true,
    })
    expect(signed).toMatchObject({ status: 'READY', compliance_checks: { status: 'APPROVED' } })
    const { data } = await app.client.listRepaymentMethods({ borrower_id: created.id })
    expect(data).toMatchObject([{ payment_method: 'DIRECT_DEBIT', status: 'READY' }])
  },
)

test('each call generates a new one, by GET and by POST', async () => {
  const companies = await Promise.all(
    Array.from({ length: 5 }, () => app.client.generateSandboxBusiness()),
  )
  expect(new Set(companies.map(c => c.identifier)).size).toBe(5)
  const response = await fetch(`${app.base_url}/sandbox/business-generator?country=NLD`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.key}` },
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ identifier_type: 'kvk' })
})

test('an IBAN encodes its scenario', async () => {
  for (const scenario of [
    'CANCEL',
    'FAIL',
    'REJECT',
    'SUCCESS',
    'SUCCESS_ONE_DAY_LATER',
  ] as const) {
    const { data, status } = await app.client.call('generateSandboxIban', {
      country: 'DEU',
      scenario,
    })
    expect(status).toBe(201)
    expect(data.iban).toMatch(/^DE/)
    expect(ibanScenario(data.iban)).toBe(scenario)
  }
  const { iban } = await app.client.generateSandboxIban()
  expect(ibanScenario(iban)).toBe('SUCCESS')
})

test('an unknown country or scenario is reported', async () => {
  const get = (path: string) =>
    fetch(`${app.base_url}${path}`, { headers: { authorization: `Bearer ${app.key}` } })
  const faults = await (await get('/sandbox/iban-generator?country=USA&scenario=LATER')).json()
  expect(faults).toMatchObject({
    code: 'request_invalid',
    invalid_params: [{ name: 'country' }, { name: 'scenario' }],
  })
  const iceland = await refusal(app.client.generateSandboxBusiness({ country: 'ISL' as 'FRA' }))
  expect(iceland.status).toBe(422)
})
