/** Creating borrowers: kinds of identifier, faults, and one borrower per company. */
import type { Input } from '@headroom/sdk'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { readForPartner } from '../../../src/platform/db/transaction.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { testApp } from '../../support/app.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'

const app = await testApp({ work: false })
const { client } = app

async function countBorrowers(): Promise<number> {
  return (await client.listBorrowers({ page_size: 1 })).total!
}

describe('a registration number alone is enough', () => {
  test.each([
    ['404833048', 'siren', '404833048', 'fr'],
    ['732 829 320 00074', 'siret', '73282932000074', 'fr'],
    ['FR14 652 014 051', 'vat_number', 'FR14652014051', 'fr'],
    ['B64717838', 'nif', 'B64717838', 'es'],
    ['54362315K', 'nif', '54362315K', 'es'],
    ['ES J99216582', 'vat_number', 'ESJ99216582', 'es'],
    ['12345678', 'kvk', '12345678', 'nl'],
    ['NL004495445B01', 'vat_number', 'NL004495445B01', 'nl'],
    ['0403.019.261', 'belgium_registration_number', '0403019261', 'nl'],
    ['BE 0417 497 106', 'vat_number', 'BE0417497106', 'nl'],
    ['Aachen HRA 11223', 'hr_nummer', 'Aachen HRA 11223', 'de'],
    ['DE136695976', 'vat_number', 'DE136695976', 'de'],
  ])('%s', async (typed, identifier_type, identifier, language) => {
    const created = await client.createBorrower({ identifier: typed })
    expect(created).toMatchObject({
      status: 'TO_SIGN',
      status_reason: null,
      identifier,
      identifier_type,
      entity_type: 'COMPANY',
      preferred_language: language,
      signed_at: null,
      compliance_checks: { status: 'UNKNOWN' },
      accounts: [],
      directors: null,
      owner: null,
      metadata: {},
    })
    expect(created.name).toBeTruthy()
    expect(created.address!.city).toBeTruthy()
    expect(await client.getBorrower({ borrower_id: created.id })).toEqual(created)
  })

  test.each([
    ['123456782', 'bsn'],
    ['B58378431', 'cif'],
    ['12/345/67890', 'steuernummer'],
  ] as const)('%s, given its type %s', async (identifier, identifier_type) => {
    const created = await client.createBorrower({ identifier, identifier_type })
    expect(created.identifier_type).toBe(identifier_type)
  })
})

test('a company rejected before has the reason before and after signing', async () => {
  const business_identifier = { identifier: '443061841' }
  await client.setSandboxEligibility({ business_identifier, scenario: 'NOT_ELIGIBLE' })
  const created = await client.createBorrower(business_identifier)
  const refused = {
    status_reason: 'BUSINESS_COMPLIANCE_ISSUE_DETECTED',
    compliance_checks: { status: 'REJECTED' },
  }
  expect(created).toMatchObject({ status: 'TO_SIGN', ...refused })
  const { id: borrower_id } = created
  const signed = await client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })
  expect(signed).toMatchObject({ status: 'BLOCKED', ...refused })
})

describe('a wrong number is a 422 with the reason, and writes nothing', () => {
  test.each([
    ['404833047', 'should be 8'],
    ['73282932000075', 'should be 4'],
    ['FR45732829320', 'should be 44'],
    ['J99216583', 'should be 2'],
    ['54362315A', 'should be K'],
    ['1234567', '7 digits'],
    ['NL004495446B01', '11-test'],
    ['0123456789', 'positions 9 to 10'],
    ['11223', 'digits'],
    ['HRA 11223', 'court'],
    ['DE136695978', 'should be 6'],
    ['   ', 'not empty'],
    ['Boulangerie', 'cannot be inferred'],
  ])('%s: %s', async (identifier, words) => {
    const before = await countBorrowers()
    const faults = await faultsOf(client.createBorrower({ identifier }))
    expect(faults.identifier).toContain(words)
    expect(await countBorrowers()).toBe(before)
  })
})

test('every fault of a request is reported at once', async () => {
  const faults = await faultsOf(
    client.createBorrower({
      identifier: '404833047',
      vat_number: 'FR45732829320',
      address: { address_line_1: '1 rue', city: 'Paris', postal_code: '75011', country: 'Paris' },
      account_number: 'FR7630006000011234567890188',
      bank_identifier: 'AGRI',
      preferred_language: 'it',
      signed_at: '2999-01-01T00:00:00Z',
      directors: [{ birth_date: '2999-01-01', nationality: 'XX' }],
      owner: { first_name: 'Léa', last_name: 'Noël', birth_date: '2020-01-01' },
    }),
  )
  expect(Object.keys(faults).sort()).toEqual([
    'account_number',
    'address.country',
    'bank_identifier',
    'directors.0.birth_date',
    'directors.0.nationality',
    'identifier',
    'owner.birth_date',
    'preferred_language',
    'signed_at',
    'vat_number',
  ])
})

test('unknown entity types are rejected', async () => {
  const faults = await faultsOf(
    client.createBorrower({
      identifier: '552100554',
      entity_type: 'people' as 'COMPANY',
      directors: [{ entity_type: 'loan' as 'people' }],
    }),
  )
  expect(Object.keys(faults).sort()).toEqual(['directors.0.entity_type', 'entity_type'])
})

const DIRECTOR_ID = newId()
const EVERY_FIELD = {
  identifier: '552100554',
  identifier_type: 'siren',
  entity_type: 'ASSOCIATION',
  name: 'Les Amis',
  legal_form: 'Association',
  vat_number: 'FR 96 552 100 554',
  address: {
    address_line_1: '1 rue du Port',
    city: 'Saint-Denis',
    postal_code: '97400',
    country: 'REU',
  },
  account_number: 'FR76 3000 6000 0112 3456 7890 189',
  bank_identifier: 'AGRIFRPP',
  directors: [
    {
      id: DIRECTOR_ID,
      title: 'Mme',
      first_name: 'Léa',
      last_name: 'Noël',
      birth_place: { city: 'Lille', country: 'FRA' },
      business_phone_number: '+33123456789',
    },
    { entity_type: 'business', role: 'NON_DIRECTOR', legal_name: 'Holding SAS' },
  ],
  owner: {
    first_name: 'Léa',
    last_name: 'Noël',
    email: 'lea@noel.example',
    phone_number: '+33123456789',
    identity_documents: {
      identity_document_front: {
        filename: 'front.png',
        document_binary_base64: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64'),
      },
      custom_identity_documents: [
        { filename: 'k.pdf', document_binary_base64: 'JVBERi0=', description: 'Kbis' },
      ],
    },
  },
  preferred_language: 'fr-RE',
  metadata: { yours: [1, { two: null }] },
  wait_for_ready: true,
} satisfies Input<'createBorrower'>

test('every field of the interface is stored and returned', async () => {
  const created = await client.createBorrower(EVERY_FIELD)
  expect(created).toMatchObject({
    status: 'TO_SIGN',
    entity_type: 'ASSOCIATION',
    name: 'Les Amis',
    legal_form: 'Association',
    vat_number: 'FR96552100554',
    address: { city: 'Saint-Denis', country: 'REU', state: null },
    accounts: [
      {
        account_name: 'Les Amis',
        account_number: 'FR7630006000011234567890189',
        account_number_type: 'iban',
        bank_identifier: 'AGRIFRPP',
        bank_identifier_type: 'bic',
      },
    ],
    directors: [
      { id: DIRECTOR_ID, entity_type: 'people', role: 'DIRECTOR', birth_date: null },
      { entity_type: 'business', role: 'NON_DIRECTOR', legal_name: 'Holding SAS' },
    ],
    owner: { email: 'lea@noel.example', phone_number: '+33123456789' },
    preferred_language: 'fr',
    metadata: { yours: [1, { two: null }] },
  })
  const kept = await readForPartner(app.context, app.partner_id, tx =>
    tx.all(sql<{ purpose: string; content: Buffer }>`
      select purpose, content from owner_documents where borrower_id = ${created.id}
      order by purpose`),
  )
  expect(kept.map(file => [file.purpose, file.content.toString('latin1')])).toEqual([
    ['CUSTOM', '%PDF-'],
    ['IDENTITY_FRONT', '\x89PNG\r\n\x1a\n'],
  ])
})

describe('the same company twice', () => {
  test('is a conflict that names the existing borrower, under any of its numbers', async () => {
    const first = await client.createBorrower({ identifier: '542107651' })
    for (const identifier of ['542107651', '54210765113030', 'FR13542107651']) {
      const problem = await refusal(client.createBorrower({ identifier }))
      expect(problem).toMatchObject({ status: 409, code: 'borrower_exists', resource_id: first.id })
    }
  })

  test('creates a separate borrower for another partner', async () => {
    const mine = await client.createBorrower({ identifier: '552081317' }).catch(() => null)
    const theirs = await app.second.createBorrower({ identifier: '552081317' })
    expect(theirs.id).not.toBe(mine?.id)
  })

  test('50 times concurrently gives one borrower and 49 conflicts that name it', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) =>
        client.createBorrower({ identifier: i % 2 ? '775665011' : 'FR62775665011' }),
      ),
    )
    const made = outcomes.filter(outcome => outcome.status === 'fulfilled')
    expect(made).toHaveLength(1)
    const { id } = made[0]!.value
    const refused = outcomes.filter(outcome => outcome.status === 'rejected')
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ code: 'borrower_exists', resource_id: id })
    }
    const { data } = await client.listBorrowers({ identifier: '775665011' })
    expect(data.map(borrower => borrower.id)).toEqual([id])
  })
})

test('an account on file for another company, of any partner, is rejected', async () => {
  const { iban } = await client.generateSandboxIban({ country: 'FRA' })
  await client.createBorrower({ identifier: '383474814', account_number: iban })
  const other = app.second.createBorrower({ identifier: 'B58378431', account_number: iban })
  expect((await faultsOf(other)).account_number).toContain('not an account of this company')
  const same = await app.second.createBorrower({
    identifier: '383474814',
    account_number: iban,
  })
  expect(same.accounts[0]!.account_number).toBe(iban)
})

test('generated companies of every country are accepted', async () => {
  for (const country of ['FRA', 'REU', 'DEU', 'ESP', 'NLD', 'BEL'] as const) {
    const business = await client.generateSandboxBusiness({ country })
    const created = await client.createBorrower(business)
    expect(created).toMatchObject({ identifier: business.identifier, name: business.name })
    expect(created.directors).toHaveLength(1)
  }
})
