/** Each rule finds the order file that breaks it, and names the order, the field and the source. */

import { expect, test } from 'vitest'
import {
  BANK_PROFILES,
  type BankProfile,
  checkOrder,
  checkOrderFile,
  type DebitTerms,
  FaultyOrderFile,
  type OrderFile,
  type Party,
  sayFault,
  type TransferOrder,
} from '../../../src/integrations/bank-files/index.ts'
import { RULES, type RuleName } from '../../../src/integrations/bank-files/writing/faults.ts'
import { day } from '../../../src/platform/kit/dates.ts'
import {
  borrower,
  debitFile,
  debitOrder,
  generic,
  lender,
  swiss,
  transferFile,
  transferOrder,
} from './support.ts'

const signed_on = day('2026-10-01')
const order = (parts: Partial<TransferOrder>) => transferFile([transferOrder(1, parts)])
const payee = (parts: Partial<Party>) => order({ counterparty: { ...borrower, ...parts } })
const homeless: Party = { ...lender, address: null }
const nowhere = { town: '-', country: 'FR' }
const mandate = (reference: string) =>
  debitFile([debitOrder(1, { mandate: { reference, signed_on } })])

/** What is wrong, the rule, its reason code, where it is found, and the file. */
const CASES: [string, RuleName, string, string, OrderFile][] = [
  ['no groups', 'orders_min', 'CH21', 'groups', { ...transferFile(), groups: [] }],
  ['a group without orders', 'orders_min', 'CH21', 'orders', transferFile([])],
  ['no message id', 'id_form', 'CH16', 'message_id', { ...transferFile(), message_id: '' }],
  [
    'a long message id',
    'id_form',
    'CH16',
    'message_id',
    { ...transferFile(), message_id: 'M'.repeat(36) },
  ],
  [
    'no moment',
    'moment',
    'DT02',
    'created_at',
    { ...transferFile(), created_at: new Date(Number.NaN) },
  ],
  ['no initiator', 'name', 'BE21', 'initiator', { ...transferFile(), initiator: ' ' }],
  ['a group id with a slash first', 'id_form', 'CH16', 'id', transferFile(undefined, { id: '/1' })],
  ['a slash last', 'id_form', 'CH16', 'end_to_end_id', order({ end_to_end_id: 'A/' })],
  ['a double slash', 'id_form', 'CH16', 'end_to_end_id', order({ end_to_end_id: 'A//B' })],
  ['an accent in an id', 'id_form', 'CH16', 'instruction_id', order({ instruction_id: 'É1' })],
  ['a space around an id', 'id_form', 'CH16', 'instruction_id', order({ instruction_id: ' 1' })],
  [
    'one end-to-end id twice',
    'id_unique',
    'RF01',
    'end_to_end_id',
    transferFile([transferOrder(1), transferOrder(1, { instruction_id: '2' })]),
  ],
  [
    'one instruction id twice',
    'id_unique',
    'RF01',
    'instruction_id',
    transferFile([transferOrder(1), transferOrder(1, { end_to_end_id: '2' })]),
  ],
  [
    'one group id twice',
    'id_unique',
    'RF01',
    'id',
    {
      ...transferFile(),
      groups: [...transferFile().groups, ...transferFile([transferOrder(9)]).groups],
    },
  ],
  ['no money', 'amount', 'AM12', 'amount', order({ amount: 0n })],
  ['negative money', 'amount', 'AM12', 'amount', order({ amount: -1n })],
  ['a cent too much', 'amount', 'AM12', 'amount', order({ amount: 100_000_000_000n })],
  ['no name', 'name', 'BE21', 'counterparty.name', payee({ name: '' })],
  ['a name of signs', 'name', 'BE21', 'counterparty.name', payee({ name: '中国银行' })],
  [
    'a name that is cut away',
    'name',
    'BE21',
    'counterparty.name',
    payee({ name: `${'-'.repeat(70)}A` }),
  ],
  [
    'wrong check digits',
    'iban',
    'AC01',
    'counterparty.iban',
    payee({ iban: 'DE88370400440532013000' }),
  ],
  ['spaces', 'iban', 'AC01', 'counterparty.iban', payee({ iban: 'DE89 3704 0044 0532 0130 00' })],
  [
    'Turkey',
    'sepa_country',
    'AG03',
    'counterparty.iban',
    payee({ iban: 'TR330006100519786457841326' }),
  ],
  [
    'a wrong own IBAN',
    'iban',
    'AC01',
    'account.iban',
    transferFile(undefined, {
      account: { ...lender, iban: 'FR00' },
    }),
  ],
  ['a wrong BIC', 'bic', 'RC01', 'counterparty.bic', payee({ bic: 'COBA' })],
  ['a BIC in small letters', 'bic', 'RC01', 'counterparty.bic', payee({ bic: 'cobadeff' })],
  [
    'no BIC in Switzerland',
    'bic_missing',
    'RC05',
    'counterparty.bic',
    order({ counterparty: { ...swiss, bic: null } }),
  ],
  [
    'our own address missing for Switzerland',
    'address_missing',
    'BE07',
    'account.address',
    transferFile([transferOrder(1, { counterparty: swiss })], { account: homeless }),
  ],
  [
    'our own address missing in Switzerland',
    'address_missing',
    'BE07',
    'account.address',
    transferFile([transferOrder(1)], { account: { ...swiss, address: null } }),
  ],
  [
    'a Swiss debtor without an address',
    'address_missing',
    'BE07',
    'counterparty.address',
    debitFile([debitOrder(1, { counterparty: { ...swiss, address: null } })]),
  ],
  [
    'our own town missing',
    'address',
    'CH16',
    'account.address.town',
    transferFile([transferOrder(1)], { account: { ...lender, address: nowhere } }),
  ],
  [
    'no town',
    'address',
    'CH16',
    'counterparty.address.town',
    order({ counterparty: { ...swiss, address: { town: ' ', country: 'CH' } } }),
  ],
  [
    'no country',
    'address',
    'CH16',
    'counterparty.address.country',
    order({ counterparty: { ...swiss, address: { town: 'Bern', country: 'ZZ' } } }),
  ],
  [
    'an address in Germany',
    'address_superfluous',
    'CH17',
    'counterparty.address',
    payee({ address: { town: 'Berlin', country: 'DE' } }),
  ],
  ['an empty text', 'text', 'CH16', 'remittance.text', order({ remittance: { text: '\u0000' } })],
  [
    'a wrong reference',
    'reference',
    'CH16',
    'remittance.reference',
    order({ remittance: { reference: 'RF19539007547034' } }),
  ],
  [
    'a reference with spaces',
    'reference',
    'CH16',
    'remittance.reference',
    order({ remittance: { reference: 'RF18 5390 0754 7034' } }),
  ],
  ['a wrong purpose', 'purpose', 'FF07', 'purpose', order({ purpose: 'loan' })],
  [
    'no day',
    'day_exists',
    'DT01',
    'requested_on',
    transferFile(undefined, {
      requested_on: '2026-02-30' as never,
    }),
  ],
  [
    'yesterday',
    'day_past',
    'CH04',
    'requested_on',
    transferFile(undefined, {
      requested_on: day('2026-11-26'),
    }),
  ],
  [
    'a Saturday',
    'day_closed',
    'DT03',
    'requested_on',
    transferFile(undefined, {
      requested_on: day('2026-11-28'),
    }),
  ],
  [
    'Christmas',
    'day_closed',
    'DT03',
    'requested_on',
    {
      ...debitFile(undefined, { requested_on: day('2026-12-25') }),
      created_at: new Date('2026-12-21T08:00:00Z'),
    },
  ],
  [
    'a debit today',
    'lead_time',
    'TM01',
    'requested_on',
    debitFile(undefined, {
      requested_on: day('2026-11-27'),
    }),
  ],
  [
    'a debit in 17 days',
    'too_early',
    'CH03',
    'requested_on',
    debitFile(undefined, {
      requested_on: day('2026-12-14'),
    }),
  ],
  [
    'a wrong creditor identifier',
    'creditor_identifier',
    'CH11',
    'creditor_identifier',
    debitFile(undefined, { creditor_identifier: 'FR00ZZZ123456' }),
  ],
  [
    'a creditor identifier in small letters',
    'creditor_identifier',
    'CH11',
    'creditor_identifier',
    debitFile(undefined, {
      creditor_identifier: debitFile().groups[0]!.creditor_identifier.toLowerCase(),
    }),
  ],
  ['no mandate reference', 'mandate_reference', 'CH16', 'mandate.reference', mandate('')],
  ['a mandate with two spaces', 'mandate_reference', 'CH16', 'mandate.reference', mandate('M  1')],
  ['a mandate with a space last', 'mandate_reference', 'CH16', 'mandate.reference', mandate('M ')],
  ['a mandate with a sign', 'mandate_reference', 'CH16', 'mandate.reference', mandate('M_1')],
  ['a long mandate', 'mandate_reference', 'CH16', 'mandate.reference', mandate('M'.repeat(36))],
  [
    'a mandate signed tomorrow',
    'mandate_day',
    'DT01',
    'mandate.signed_on',
    debitFile([debitOrder(1, { mandate: { reference: 'M1', signed_on: day('2026-11-28') } })]),
  ],
]

test('valid files have no faults', () => {
  for (const file of [
    transferFile(),
    debitFile(),
    transferFile([transferOrder(1, { counterparty: swiss })]),
    transferFile([transferOrder(1, { counterparty: { ...swiss, address: null } })]),
    transferFile([transferOrder(1)], { account: homeless }),
    debitFile([debitOrder(1, { counterparty: swiss })]),
    mandate('OLD MANDATE 1'),
    transferFile(undefined, { instant: true, requested_on: day('2026-11-28') }),
    debitFile(undefined, { requested_on: day('2026-12-11') }),
  ]) {
    expect(checkOrderFile(file, generic)).toEqual([])
  }
})

test.for(CASES)('%s: %s, %s, of %s', ([, rule, reason_code, field, file]) => {
  const [, source] = RULES[rule]
  expect(checkOrderFile(file, generic)).toMatchObject([{ rule, field, reason_code, source }])
})

test("what the bank's profile does not allow", () => {
  const rulesOf = (file: OrderFile, profile: Partial<typeof generic>) =>
    checkOrderFile(file, { ...generic, ...profile }).map(fault => fault.rule)
  const instant = transferFile(undefined, { instant: true })
  expect(rulesOf(instant, { offers_instant: false })).toEqual(['instant'])
  expect(rulesOf(transferFile(), { orders_max: 1 })).toEqual(['orders_max'])
  expect(rulesOf(debitFile(), { debit_lead_days: { CORE: 1, B2B: 2 } })).toEqual(['lead_time'])
})

test('all faults are found at once, each at its place', () => {
  const file = transferFile([
    transferOrder(1),
    transferOrder(2, { amount: 0n, purpose: '' }),
    transferOrder(1),
  ])
  const faults = checkOrderFile(file, generic)
  expect(faults).toMatchObject([
    { group: 1, order: 2, field: 'amount' },
    { group: 1, order: 2, field: 'purpose' },
    { group: 1, order: 3, field: 'end_to_end_id' },
    { group: 1, order: 3, field: 'instruction_id' },
  ])
  const { end_to_end_id } = file.groups[0]!.orders[1]!
  expect(sayFault(faults[0]!)).toBe(
    `group 1, order 2 (${end_to_end_id}), amount: 0.00 EUR is not between 0.01 and 999999999.99 ` +
      `[${RULES.amount[1]}]`,
  )
})

test('a file made on a closed day counts for the next open one', () => {
  const rulesOn = (created_at: string, requested_on: string) =>
    checkOrderFile(
      {
        ...debitFile(undefined, { requested_on: day(requested_on) }),
        created_at: new Date(created_at),
      },
      generic,
    ).map(fault => fault.rule)
  const saturday = '2026-11-28T08:00:00Z'
  expect(rulesOn(saturday, '2026-11-30')).toEqual(['lead_time'])
  expect(rulesOn(saturday, '2026-12-01')).toEqual([])
  const christmas = '2026-12-25T08:00:00Z'
  expect(rulesOn(christmas, '2026-12-28')).toEqual(['lead_time'])
  expect(rulesOn(christmas, '2026-12-29')).toEqual([])
})

test('the messages of 2009 refuse a BIC that they cannot carry, if it is sent', () => {
  const of = (bic: string) => payee({ bic })
  const rulesOf = (file: OrderFile, profile: BankProfile) =>
    checkOrderFile(file, profile).map(fault => fault.rule)
  for (const bic of ['COBADE0F', 'COBADE1F', 'COBADEFO']) {
    expect(rulesOf(of(bic), BANK_PROFILES['older-with-bic'])).toEqual(['bic'])
    expect(rulesOf(of(bic), BANK_PROFILES.older)).toEqual([])
    expect(rulesOf(of(bic), { ...generic, sends_bic: true })).toEqual([])
  }
})

test('one order is checked as one of a group, whatever the day of the file', () => {
  const [group] = debitFile().groups
  const terms: DebitTerms = { ...group!, scheme: 'CORE', requested_on: day('2027-06-01') }
  const today = day('2026-11-27')
  expect(checkOrder(debitOrder(1), terms, today, generic)).toEqual([])
  const closed = { ...terms, requested_on: day('2027-05-01') }
  const unsigned = debitOrder(1, { mandate: { reference: 'M1', signed_on: day('2026-11-28') } })
  expect(checkOrder({ ...unsigned, amount: 0n }, closed, today, generic)).toMatchObject([
    { field: 'requested_on', reason_code: 'DT03' },
    { field: 'amount', reason_code: 'AM12', end_to_end_id: unsigned.end_to_end_id },
    { field: 'mandate.signed_on', reason_code: 'DT01' },
  ])
})

test('what is said of a fault in logs has no names and accounts', () => {
  const [fault] = checkOrderFile(payee({ iban: 'DE88370400440532013000' }), generic)
  expect(sayFault(fault!)).toContain('DE88370400440532013000')
  const { message } = new FaultyOrderFile([fault!])
  expect(message).toMatch(/counterparty\.iban: breaks the rule iban/)
  expect(message).not.toContain('DE88')
})
