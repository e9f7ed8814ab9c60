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
import { groupsOf, type Terms } from '../../../src/integrations/bank-files/writing/order-file.ts'
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
        debitFile(debits, { sequence_type }, scheme),
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

test.skipIf(missing)('the schemas are asked: they refuse a file without a payment method', () => {
  const written = Buffer.from(writeOrderFile(transferFile(), generic)).toString('utf8')
  const broken = Buffer.from(written.replace('<PmtMtd>TRF</PmtMtd>', ''))
  expect(schemaErrors('pain.001.001.09', [broken])).not.toEqual([])
})

const isSwiss = ({ iban }: Party) => iban.startsWith('CH')

/** What a party becomes in a file of the profile. `sends_bic` counts within the EEA. */
function writtenParty(party: Party, { characters, sends_bic }: BankProfile): Party {
  const is_outside = isSwiss(party)
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

const withoutOrders = (terms: Terms) =>
  Object.fromEntries(Object.entries(terms).filter(([name]) => name !== 'orders'))

function expectedFile(file: OrderFile, profile: BankProfile) {
  const { message_id, created_at, initiator } = file
  return {
    head: { message_id, created_at, initiator: cutText(initiator, 70, profile.characters) },
    faults: [],
    groups: groupsOf(file).map(({ kind, terms, orders }) => ({
      terms: {
        ...withoutOrders(terms),
        account: {
          ...writtenParty(terms.account, profile),
          // Only a transfer abroad says where we are.
          address:
            kind === 'TRANSFER' && orders.some(one => isSwiss(one.counterparty))
              ? { town: 'Orleans', country: 'FR' }
              : null,
        },
      },
      orders: orders.map(order => ({
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
/** Some have characters that the messages of 2009 do not know. */
const BICS = ['COBADEFFXXX', 'COBADEFF', 'AAAADE0FXXX', 'AAAADEFO']
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
    bic: fc.constantFrom(null, ...BICS),
    address: fc.constant(null),
  }),
  fc
    .tuple(hostile, fc.constantFrom(...BICS))
    .map(([name, bic]) => ({ ...swiss, name, bic, address: { town: name, country: 'CH' } })),
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

const hostileGroups = fc.array(fc.array(hostileOrder, { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 2,
})
type HostileOrder = typeof hostileOrder extends fc.Arbitrary<infer T> ? T : never

/** A file with these groups. Ids count through the file. */
function fileOf(
  kind: 'debit' | 'transfer' | 'instant',
  name: string,
  groups: readonly (readonly HostileOrder[])[],
): OrderFile {
  let number = 0
  const account = { ...lender, name: `L ${name}` }
  const termsOf = (index: number) => ({ id: `GROUP${index}`, account })
  if (kind === 'debit') {
    const parts = groups.map(orders => orders.map(part => debitOrder(++number, part)))
    const made = parts.map((orders, index) => debitFile(orders, termsOf(index)))
    return { ...debitFile(), groups: made.flatMap(file => file.groups) }
  }
  const instant = kind === 'instant'
  const parts = groups.map(orders => orders.map(part => transferOrder(++number, part)))
  const made = parts.map((orders, index) => transferFile(orders, { ...termsOf(index), instant }))
  return { ...transferFile(), groups: made.flatMap(file => file.groups) }
}

test('whatever names, texts and BICs say, a file is right, with exact sums, or refused', () => {
  const written = new Map<string, Uint8Array[]>()
  const refusals = new Set<string>()
  const property = fc.property(
    fc.constantFrom(...PROFILES),
    fc.constantFrom<'debit' | 'transfer' | 'instant'>('debit', 'transfer', 'instant'),
    hostile,
    hostileGroups,
    ([, profile], kind, name, groups) => {
      const file = fileOf(kind, name, groups)
      let bytes: Uint8Array
      try {
        bytes = writeOrderFile(file, profile)
      } catch (error) {
        if (!(error instanceof FaultyOrderFile)) throw error
        for (const { rule } of error.faults) refusals.add(rule)
        return
      }
      const found = readBack(bytes, profile)
      expect(found).toEqual(expectedFile(file, profile))
      const message = messageOf(profile, file.kind)
      written.set(message, [...(written.get(message) ?? []), bytes])
    },
  )
  fc.assert(property, { numRuns: 400 })
  expect([...refusals].sort()).toEqual(['address', 'bic', 'name', 'text'])
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
