/** Written files are valid by the official schemas, and say what they were given. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type BankProfile,
  FaultyOrderFile,
  type OrderFile,
  type Party,
  type TransferOrder,
  writeOrderFile,
} from '../../../src/integrations/bank-files/index.ts'
import { messageOf } from '../../../src/integrations/bank-files/writing/bank-profile.ts'
import { cutText } from '../../../src/integrations/bank-files/writing/sepa-text.ts'
import { day } from '../../../src/platform/kit/dates.ts'
import { rfReference } from '../../../src/platform/kit/reference.ts'
import {
  borrower,
  debitFile,
  debitOrder,
  generic,
  lender,
  missingForSchemas,
  PROFILES,
  readBack,
  schemaErrors,
  swiss,
  transferFile,
  transferOrder,
} from './support.ts'

const missing = missingForSchemas()
if (missing) console.warn(`Not validated by schema: ${missing}.`)

/** A file for each thing that is written differently. */
function variants(): OrderFile[] {
  const parts: Partial<TransferOrder>[] = [
    {},
    { counterparty: swiss },
    { counterparty: { ...borrower, bic: null } },
    { remittance: null },
    { remittance: { text: 'Zinsen <>&"\' Ångström' } },
    { purpose: 'LOAN' },
    { amount: 1n },
    { amount: 99_999_999_999n },
  ]
  const transfers = parts.map((part, index) => transferOrder(index + 1, part))
  const debits = parts.map((part, index) => debitOrder(index + 1, part))
  const anonymous = { account: { ...lender, bic: null } }
  const two = transferFile(transfers)
  return [
    transferFile(transfers),
    transferFile(transfers, { instant: true, requested_on: day('2026-11-28') }),
    transferFile(transfers, anonymous),
    { ...two, groups: [...two.groups, ...transferFile([transferOrder(99)], { id: '2' }).groups] },
    debitFile(debits, anonymous),
    ...(['CORE', 'B2B'] as const).flatMap(scheme =>
      (['FRST', 'RCUR', 'OOFF', 'FNAL'] as const).map(sequence_type =>
        debitFile(debits, { scheme, sequence_type }),
      ),
    ),
  ]
}

test.skipIf(missing).for(PROFILES)(
  'every file of the profile %s is valid by the official schema',
  ([, profile]) => {
    for (const kind of ['TRANSFER', 'DEBIT'] as const) {
      const bookings = [true, false, null].map(batch_booking => ({ ...profile, batch_booking }))
      const files = variants().filter(file => file.kind === kind)
      const written = bookings.flatMap(one => files.map(file => writeOrderFile(file, one)))
      expect(schemaErrors(messageOf(profile, kind), written)).toEqual([])
    }
  },
)

test.skipIf(missing)('the schemas are asked: they refuse a file without a name', () => {
  const written = Buffer.from(writeOrderFile(transferFile(), generic)).toString('utf8')
  const broken = Buffer.from(written.replace('<PmtMtd>TRF</PmtMtd>', ''))
  expect(schemaErrors('pain.001.001.09', [broken])).not.toEqual([])
})

/** What a party becomes in a file of the profile. */
function writtenParty(party: Party, { characters, sends_bic }: BankProfile): Party {
  const is_outside = party.iban.startsWith('CH')
  return {
    ...party,
    name: cutText(party.name, 70, characters),
    bic: sends_bic || is_outside ? party.bic : null,
    address: party.address && {
      ...party.address,
      town: cutText(party.address.town, 35, characters),
    },
  }
}

function expectedFile(file: OrderFile, profile: BankProfile) {
  const { message_id, created_at, initiator } = file
  return {
    head: { message_id, created_at, initiator: cutText(initiator, 70, profile.characters) },
    faults: [],
    groups: file.groups.map(({ orders, ...terms }) => ({
      terms: { ...terms, account: writtenParty(terms.account, profile) },
      orders: orders.map((order: TransferOrder) => ({
        ...order,
        counterparty: writtenParty(order.counterparty, profile),
        remittance:
          order.remittance && 'text' in order.remittance
            ? { text: cutText(order.remittance.text, 140, profile.characters) }
            : order.remittance,
      })),
    })),
  }
}

test.for(PROFILES)('a file of the profile %s reads back as it was given', ([, profile]) => {
  for (const file of variants()) {
    expect(readBack(writeOrderFile(file, profile), profile)).toEqual(expectedFile(file, profile))
  }
})

const IBANS = ['FR1420041010050500013M02606', 'NL91ABNA0417164300', 'BE68539007547034']
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom(
    ']]>',
    '<!--',
    '&amp;',
    '<?xml?>',
    '</Nm>',
    '\u0000',
    '\ud800',
    ' / ',
    '//',
    '&#0;',
  ),
)
const hostileParty: fc.Arbitrary<Party> = fc.oneof(
  fc.record({
    name: hostile,
    iban: fc.constantFrom(...IBANS),
    bic: fc.constantFrom(null, 'COBADEFFXXX'),
    address: fc.constant(null),
  }),
  hostile.map(name => ({ ...swiss, name, address: { town: name, country: 'CH' } })),
)
const hostileOrder = fc.record({
  amount: fc.bigInt(1n, 99_999_999_999n),
  counterparty: hostileParty,
  remittance: fc.oneof(
    hostile.map(text => ({ text })),
    fc.nat().map(number => ({ reference: rfReference(String(number)) })),
    fc.constant(null),
  ),
  purpose: fc.constantFrom(null, 'LOAN'),
})

test('whatever names and texts say, a file is right or refused, and its sums are exact', () => {
  const written = new Map<string, Uint8Array[]>()
  let refused = 0
  const property = fc.property(
    fc.constantFrom(...PROFILES),
    fc.boolean(),
    hostile,
    fc.array(hostileOrder, { minLength: 1, maxLength: 5 }),
    ([, profile], is_debit, name, parts) => {
      const terms = { account: { ...lender, name: `L ${name}` } }
      const file: OrderFile = is_debit
        ? debitFile(
            parts.map((part, index) => debitOrder(index, part)),
            terms,
          )
        : transferFile(
            parts.map((part, index) => transferOrder(index, part)),
            terms,
          )
      let bytes: Uint8Array
      try {
        bytes = writeOrderFile(file, profile)
      } catch (error) {
        if (!(error instanceof FaultyOrderFile)) throw error
        const rules = new Set(error.faults.map(fault => fault.rule))
        expect(['name', 'text', 'address']).toEqual(expect.arrayContaining([...rules]))
        refused++
        return
      }
      const found = readBack(bytes, profile)
      expect(found).toEqual(expectedFile(file, profile))
      const message = messageOf(profile, file.kind)
      written.set(message, [...(written.get(message) ?? []), bytes])
    },
  )
  fc.assert(property, { numRuns: 400 })
  expect(refused).toBeGreaterThan(0)
  expect(written.size).toBe(4)
  if (missing) return
  for (const [message, files] of written) expect(schemaErrors(message, files)).toEqual([])
})

test('a file with a fault is not written', () => {
  const file = transferFile([transferOrder(1), transferOrder(1, { amount: 0n })])
  expect(() => writeOrderFile(file, generic)).toThrow(FaultyOrderFile)
  expect(() => writeOrderFile(file, generic)).toThrow(/3 faults.*group 1, order 2/)
})

test('the same file gives the same bytes', () => {
  const [one, other] = [writeOrderFile(debitFile(), generic), writeOrderFile(debitFile(), generic)]
  expect(Buffer.from(one).equals(other)).toBe(true)
})
