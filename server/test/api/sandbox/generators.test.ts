/** Generated companies and IBANs over HTTP. */
import { beforeAll, expect, test } from 'vitest'
import { ibanScenario } from '../../../src/outside/adapters/sandbox/generators.ts'
import { type TestHouse, testHouse } from '../../support/house.ts'
import { refusal } from './story.ts'

let house: TestHouse
beforeAll(async () => {
  house = await testHouse()
})

test.each(['BEL', 'DEU', 'ESP', 'FRA', 'GUF', 'MAF', 'NLD', 'REU'] as const)(
  'a company of %s can be created, signs, and is READY by direct debit',
  async country => {
    const business = await house.client.generateSandboxBusiness({ country })
    const created = await house.client.createBorrower(business)
    expect(created).toMatchObject({ name: business.name, status: 'TO_SIGN' })
    const signed = await house.client.signBorrower({
      borrower_id: created.id,
      signed_at: new Date().toISOString(),
      wait_for_ready: true,
    })
    expect(signed).toMatchObject({ status: 'READY', compliance_checks: { status: 'APPROVED' } })
    const { data } = await house.client.listRepaymentMethods({ borrower_id: created.id })
    expect(data).toMatchObject([{ payment_method: 'DIRECT_DEBIT', status: 'READY' }])
  },
)

test('each call generates a new one, by GET and by POST', async () => {
  const companies = await Promise.all(
    Array.from({ length: 5 }, () => house.client.generateSandboxBusiness()),
  )
  expect(new Set(companies.map(c => c.identifier)).size).toBe(5)
  const response = await fetch(`${house.base_url}/sandbox/business-generator?country=NLD`, {
    method: 'POST',
    headers: { authorization: `Bearer ${house.key}` },
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
    const { data, status } = await house.client.call('generateSandboxIban', {
      country: 'DEU',
      scenario,
    })
    expect(status).toBe(201)
    expect(data.iban).toMatch(/^DE/)
    expect(ibanScenario(data.iban)).toBe(scenario)
  }
  const { iban } = await house.client.generateSandboxIban()
  expect(ibanScenario(iban)).toBe('SUCCESS')
})

test('an unknown country or scenario is reported', async () => {
  const get = (path: string) =>
    fetch(`${house.base_url}${path}`, { headers: { authorization: `Bearer ${house.key}` } })
  const faults = await (await get('/sandbox/iban-generator?country=USA&scenario=LATER')).json()
  expect(faults).toMatchObject({
    code: 'request_invalid',
    invalid_params: [{ name: 'country' }, { name: 'scenario' }],
  })
  const iceland = await refusal(house.client.generateSandboxBusiness({ country: 'ISL' as 'FRA' }))
  expect(iceland.status).toBe(422)
})
