/**
 * The sandbox registry finds a company by any of its numbers, and its answers change only when a
 * test changes them.
 */
import { expect, test } from 'vitest'
import { frenchVatOf } from '../../../src/countries/fr/numbers.ts'
import { type CountryCode, parseCompanyIdentifier } from '../../../src/countries/index.ts'
import { sandboxRegistry } from '../../../src/integrations/adapters/sandbox/registry.ts'
import { testApp } from '../../support/app.ts'

const app = await testApp({ work: false })
const registry = sandboxRegistry(app.context)

function find(identifier: string, identifier_type: string, country: CountryCode) {
  const parsed = parseCompanyIdentifier(identifier, identifier_type as 'siren', country)
  if (!parsed.ok) throw new Error(parsed.reason)
  return registry.find({ ...parsed, partner_id: app.partner_id })
}

test.each([
  ['732829320', 'siren', 'FR'],
  ['B64717838', 'cif', 'ES'],
  ['12345678', 'kvk', 'NL'],
  ['0403019261', 'belgium_registration_number', 'BE'],
  ['Aachen HRA 11223', 'hr_nummer', 'DE'],
] as const)('%s is found as an active company', async (identifier, identifier_type, country) => {
  const company = await find(identifier, identifier_type, country)
  const well = { is_active: true, insolvent_since: null }
  expect(company).toMatchObject({ identifier, identifier_type, country, ...well })
  expect(company?.name).toMatch(/\w/)
  expect(company?.address).toHaveProperty('city')
  expect(company?.share_capital).toBeGreaterThan(0)
  expect(await find(identifier, identifier_type, country)).toEqual(company)
})

test('two numbers of one company return the same data', async () => {
  const siren = await find('732829320', 'siren', 'FR')
  const vat = await find('FR44732829320', 'vat_number', 'FR')
  expect(vat?.name).toBe(siren?.name)
  expect(vat?.address).toEqual(siren?.address)
})

test('a change made under one number applies to the other', async () => {
  const business_identifier = { identifier: '404833048', identifier_type: 'siren' as const }
  const days = { insolvent_since: '2026-02-03', creation_date: '2020-05-06' }
  await app.client.setSandboxEligibility({ business_identifier, scenario: 'OK', ...days })
  expect(await find('404833048', 'siren', 'FR')).toMatchObject(days)
  expect(await find(frenchVatOf('404833048'), 'vat_number', 'FR')).toMatchObject(days)
})
