/** The sandbox register knows everybody, and always says the same. */
import { expect, test } from 'vitest'
import { sandboxRegistry } from '../../../src/adapters/sandbox/registry.ts'

test.each([
  ['732829320', 'siren', 'FR'],
  ['B64717838', 'cif', 'ES'],
  ['12345678', 'kvk', 'NL'],
  ['0403019261', 'belgium_registration_number', 'BE'],
  ['Aachen HRA 11223', 'hr_nummer', 'DE'],
] as const)('%s is a found, active company', async (identifier, identifier_type, country) => {
  const company = await sandboxRegistry().find(identifier, identifier_type, country)
  expect(company).toMatchObject({ identifier, identifier_type, country, is_active: true })
  expect(company?.name).toMatch(/\w/)
  expect(company?.address).toHaveProperty('city')
  expect(company?.share_capital).toBeGreaterThan(0)
  expect(await sandboxRegistry().find(identifier, identifier_type, country)).toEqual(company)
})

test('two numbers of one company tell one story', async () => {
  const siren = await sandboxRegistry().find('732829320', 'siren', 'FR')
  const vat = await sandboxRegistry().find('FR44732829320', 'vat_number', 'FR')
  expect(vat?.name).toBe(siren?.name)
  expect(vat?.address).toEqual(siren?.address)
})
