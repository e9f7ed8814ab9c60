/** Updating a borrower's data, and the repayment methods that complete data enables. */
import { describe, expect, test } from 'vitest'
import { testApp } from '../../support/app.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'

const app = await testApp({ work: false })
const { client } = app

async function bare(signed = false) {
  const business = await client.generateSandboxBusiness({ country: 'NLD' })
  const signed_at = signed ? new Date().toISOString() : null
  const created = await client.createBorrower({ identifier: business.identifier, signed_at })
  return { borrower_id: created.id, business, created }
}

test('fields in the body change, the rest stays', async () => {
  const { borrower_id, business, created } = await bare()
  const changed = await client.updateBorrower({
    borrower_id,
    preferred_language: 'en',
    metadata: { tier: 2 },
    address: { ...business.address!, city: 'Utrecht' },
  })
  expect(changed).toEqual({
    ...created,
    preferred_language: 'en',
    metadata: { tier: 2 },
    address: { ...created.address, ...business.address, city: 'Utrecht' },
  })
  const same = await client.updateBorrower({ borrower_id, directors: null, metadata: null })
  expect(same).toEqual(changed)
})

test('every fault is reported and nothing is written', async () => {
  const { borrower_id, created } = await bare()
  const faults = await faultsOf(
    client.updateBorrower({
      borrower_id,
      bank_identifier: 'AGRIFRPP',
      preferred_language: 'xx',
      directors: [{ birth_date: '2020-01-01' }],
      metadata: { not: 'kept' },
    }),
  )
  expect(Object.keys(faults).sort()).toEqual([
    'account_number',
    'directors.0.birth_date',
    'preferred_language',
  ])
  expect(await client.getBorrower({ borrower_id })).toEqual(created)
})

test('faults of schema, business and account ownership are reported in one answer', async () => {
  const { borrower_id, created } = await bare()
  const other = await client.generateSandboxBusiness({ is_borrower: true })
  await client.createBorrower(other)
  const wrong = {
    account_number: 'FR7630006000011234567890188',
    preferred_language: 'xx',
    metadata: 'none',
    directors: [{ birth_date: '2020-01-01' }],
    surprise: 1,
  }
  const answer = await fetch(`${app.base_url}/borrower/${borrower_id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${app.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(wrong),
  })
  const { invalid_params } = (await answer.json()) as { invalid_params: { name: string }[] }
  expect(invalid_params.map(fault => fault.name).sort()).toEqual([
    'account_number',
    'directors.0.birth_date',
    'metadata',
    'preferred_language',
    'surprise',
  ])
  const { account_number } = other
  const faults = await faultsOf(
    client.updateBorrower({ borrower_id, account_number, preferred_language: 'xx' }),
  )
  expect(Object.keys(faults).sort()).toEqual(['account_number', 'preferred_language'])
  expect(await client.getBorrower({ borrower_id })).toEqual(created)
})

describe('accounts', () => {
  test('are put on file; a bank identifier alone applies to the latest one', async () => {
    const { borrower_id, business } = await bare()
    const { account_number, bank_identifier } = business
    const first = await client.updateBorrower({ borrower_id, account_number })
    expect(first.accounts).toMatchObject([
      { account_number, bank_identifier: '', bank_identifier_type: 'undefined' },
    ])
    const second = await client.updateBorrower({ borrower_id, bank_identifier })
    expect(second.accounts).toMatchObject([
      { account_number, bank_identifier, bank_identifier_type: 'bic' },
    ])
  })
})

test('completing the data of a signed borrower enables direct debit', async () => {
  const { borrower_id, business, created } = await bare(true)
  expect(created.status).toBe('SIGNED')
  const { account_number, bank_identifier, directors } = business
  const half = await client.updateBorrower({ borrower_id, account_number, bank_identifier })
  expect(half.status).toBe('SIGNED')
  const whole = await client.updateBorrower({ borrower_id, directors })
  expect(whole.status).toBe('READY')
  const { data } = await client.listRepaymentMethods({ borrower_id })
  expect(data).toMatchObject([{ payment_method: 'DIRECT_DEBIT', status: 'READY', is_main: true }])
})

test('a borrower that chose transfers keeps them', async () => {
  const { borrower_id, business } = await bare(true)
  await client.addRepaymentMethod({
    borrower_id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  const { account_number, bank_identifier, directors } = business
  await client.updateBorrower({ borrower_id, account_number, bank_identifier, directors })
  const { data } = await client.listRepaymentMethods({ borrower_id })
  expect(data.map(method => method.payment_method)).toEqual(['SCT'])
})

test('another partner can neither see nor change it', async () => {
  const { borrower_id } = await bare()
  const calls = [
    () => app.second.getBorrower({ borrower_id }),
    () => app.second.updateBorrower({ borrower_id, metadata: {} }),
    () => app.second.listBorrowerFinancialProducts({ borrower_id }),
  ]
  for (const call of calls) expect((await refusal(call())).code).toBe('resource_unknown')
})
