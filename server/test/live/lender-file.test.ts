/** A lender's file is read completely, and all its faults are named at once, by path. */
import { expect, test } from 'vitest'
import { readLenderText } from '../../src/integrations/lender/lender-file.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { CAPITAL_IBAN, COLLECTION_IBAN, FIRST_DAY, lenderVersion } from '../support/live.ts'

const TODAY = day(FIRST_DAY)
const read = (...versions: object[]) =>
  readLenderText(JSON.stringify({ versions }), ['memory'], TODAY)

test('versions are in the order of their days, accounts in canonical form', () => {
  const spaced = COLLECTION_IBAN.replace(/(.{4})/g, '$1 ').toLowerCase()
  const { accounts } = lenderVersion()
  const collection = { iban: spaced, bic: 'agrifrpp' }
  const later = { in_force_from: '2027-03-01', accounts: { ...accounts, collection } }
  const { versions, faults } = read(lenderVersion(later), lenderVersion())
  expect(faults).toEqual([])
  expect(versions.map(version => version.in_force_from)).toEqual([FIRST_DAY, '2027-03-01'])
  expect(versions[1]!.lender).toMatchObject({
    collection_iban: COLLECTION_IBAN,
    collection_bic: 'AGRIFRPP',
    capital_ibans: [CAPITAL_IBAN],
  })
  expect(versions[1]!.content).toContain(spaced)
})

test('all faults are named at once, each with its path', () => {
  const version = lenderVersion()
  const wrong = {
    ...version,
    in_force_from: '2027-02-30',
    name: '',
    email: 'nobody',
    address: { ...version.address, country: 'ZZ' },
    creditor_identifier: 'FR00ZZZ654321',
    accounts: {
      collection: { iban: 'FR7630006000011234567890180', bic: 'AGRI' },
      funding: { iban: 'BR1800360305000010009795493C1', bic: 'BNPAFRPP' },
      capital: [],
    },
    signatories: [],
    adapters: { ...version.adapters, bank: 'sandbox', mail: 'sandbox', cards: 'bronze' },
    nickname: 'Prêts',
  }
  const { registration: _, ...without } = wrong
  const { versions, faults } = read(version, without)
  expect(versions).toEqual([])
  const paths = faults.map(fault => fault.replace(/(:| is not a known).*/, ''))
  expect(paths.sort()).toEqual([
    'versions[1].accounts.capital',
    'versions[1].accounts.collection.bic',
    'versions[1].accounts.collection.iban',
    'versions[1].accounts.funding.iban',
    'versions[1].adapters.bank',
    'versions[1].adapters.cards',
    'versions[1].adapters.mail',
    'versions[1].address.country',
    'versions[1].creditor_identifier',
    'versions[1].email',
    'versions[1].in_force_from',
    'versions[1].name',
    'versions[1].nickname',
    'versions[1].registration',
    'versions[1].signatories',
  ])
  const text = faults.join('\n')
  expect(text).toContain('adapters.bank: is one of: memory')
  expect(text).toContain('registration: is needed')
  expect(text).toContain('outside SEPA')
})

test.each([
  ['{', 'not JSON'],
  ['[]', 'the file: '],
  ['{"versions": []}', 'at least one version'],
  ['null', 'the file: '],
])('%s is no lender', (text, fault) => {
  expect(readLenderText(text, ['memory'], TODAY).faults.join()).toContain(fault)
})

test('two versions from one day are refused', () => {
  expect(read(lenderVersion(), lenderVersion({ name: 'Other' })).faults).toEqual([
    `versions: two are in force from ${FIRST_DAY}`,
  ])
})

test('no account of any version is a source of capital and a collection or funding account', () => {
  const { accounts } = lenderVersion()
  const capital = [{ iban: CAPITAL_IBAN }, { iban: COLLECTION_IBAN }]
  const collection = { iban: 'DE02120300000000202051', bic: 'BYLADEM1001' }
  const later = { in_force_from: '2027-03-01', accounts: { ...accounts, collection, capital } }
  expect(read(lenderVersion(), lenderVersion(later)).faults).toEqual([
    'versions[1].accounts.capital[1].iban: is also a collection or funding account, from which ' +
      'no capital comes',
  ])
})

test('what is there and wrong is told apart from what is missing', () => {
  const { email: _, ...version } = lenderVersion({ name: 7 })
  expect(read(version).faults).toEqual(['versions[0].name: is a text', expect.any(String)])
  expect(read(version).faults[1]).toBe('versions[0].email: is needed')
})

test('white space and the order of fields do not change a version', () => {
  const [version] = read(lenderVersion()).versions
  const reversed = Object.fromEntries(Object.entries(lenderVersion()).reverse())
  const text = JSON.stringify({ versions: [reversed] }, null, 8)
  expect(readLenderText(text, ['memory'], TODAY).versions[0]!.hash).toBe(version!.hash)
  expect(read(lenderVersion({ name: 'Other' })).versions[0]!.hash).not.toBe(version!.hash)
})

test('the adapters of the version in force are known despite faults elsewhere', () => {
  const later = { in_force_from: '2027-03-01', adapters: { bank: 'later' }, name: '' }
  expect(read(lenderVersion(), lenderVersion(later)).adapters.bank).toBe('memory')
})

test('without a bank adapter for live deployments, the file says so', () => {
  const { faults } = readLenderText(JSON.stringify({ versions: [lenderVersion()] }), [], TODAY)
  expect(faults.join()).toContain('no bank adapter of this version is for live deployments')
})
