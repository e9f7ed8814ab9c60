/** Each rule finds the order file that breaks it, and names the order, the field and the source. */

import { expect, test } from 'vitest'
import {
  checkOrderFile,
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
const mandate = (reference: string) =>
  debitFile([debitOrder(1, { mandate: { reference, signed_on } })])

/** What is wrong, where it is found, and the file. */
const CASES: [string, RuleName, string, OrderFile][] = [
  ['no groups', 'orders_min', 'groups', { ...transferFile(), groups: [] }],
  ['a group without orders', 'orders_min', 'orders', transferFile([])],
  ['no message id', 'id_form', 'message_id', { ...transferFile(), message_id: '' }],
  ['a long message id', 'id_form', 'message_id', { ...transferFile(), message_id: 'M'.repeat(36) }],
  ['no moment', 'moment', 'created_at', { ...transferFile(), created_at: new Date(Number.NaN) }],
  ['no initiator', 'name', 'initiator', { ...transferFile(), initiator: ' ' }],
  ['a group id with a slash first', 'id_form', 'id', transferFile(undefined, { id: '/1' })],
  ['a slash last', 'id_form', 'end_to_end_id', order({ end_to_end_id: 'A/' })],
  ['a double slash', 'id_form', 'end_to_end_id', order({ end_to_end_id: 'A//B' })],
  ['an accent in an id', 'id_form', 'instruction_id', order({ instruction_id: 'É1' })],
  ['a space around an id', 'id_form', 'instruction_id', order({ instruction_id: ' 1' })],
  [
    'one end-to-end id twice',
    'id_unique',
    'end_to_end_id',
    transferFile([transferOrder(1), transferOrder(1, { instruction_id: '2' })]),
  ],
  [
    'one instruction id twice',
    'id_unique',
    'instruction_id',
    transferFile([transferOrder(1), transferOrder(1, { end_to_end_id: '2' })]),
  ],
  [
    'one group id twice',
    'id_unique',
    'id',
    {
      ...transferFile(),
      groups: [...transferFile().groups, ...transferFile([transferOrder(9)]).groups],
    },
  ],
  ['no money', 'amount', 'amount', order({ amount: 0n })],
  ['negative money', 'amount', 'amount', order({ amount: -1n })],
  ['a cent too much', 'amount', 'amount', order({ amount: 100_000_000_000n })],
  ['no name', 'name', 'counterparty.name', payee({ name: '' })],
  ['a name of signs', 'name', 'counterparty.name', payee({ name: '中国银行' })],
  ['a name that is cut away', 'name', 'counterparty.name', payee({ name: `${'-'.repeat(70)}A` })],
  ['wrong check digits', 'iban', 'counterparty.iban', payee({ iban: 'DE88370400440532013000' })],
  ['spaces', 'iban', 'counterparty.iban', payee({ iban: 'DE89 3704 0044 0532 0130 00' })],
  ['Turkey', 'sepa_country', 'counterparty.iban', payee({ iban: 'TR330006100519786457841326' })],
  [
    'a wrong own IBAN',
    'iban',
    'account.iban',
    transferFile(undefined, {
      account: { ...lender, iban: 'FR00' },
    }),
  ],
  ['a wrong BIC', 'bic', 'counterparty.bic', payee({ bic: 'COBA' })],
  ['a BIC in small letters', 'bic', 'counterparty.bic', payee({ bic: 'cobadeff' })],
  [
    'no BIC in Switzerland',
    'bic',
    'counterparty.bic',
    order({ counterparty: { ...swiss, bic: null } }),
  ],
  [
    'no address in Switzerland',
    'address',
    'counterparty.address',
    order({ counterparty: { ...swiss, address: null } }),
  ],
  [
    'no town',
    'address',
    'counterparty.address.town',
    order({ counterparty: { ...swiss, address: { town: ' ', country: 'CH' } } }),
  ],
  [
    'no country',
    'address',
    'counterparty.address.country',
    order({ counterparty: { ...swiss, address: { town: 'Bern', country: 'Suisse' } } }),
  ],
  [
    'an address in Germany',
    'address',
    'counterparty.address',
    payee({ address: { town: 'Berlin', country: 'DE' } }),
  ],
  ['an empty text', 'text', 'remittance.text', order({ remittance: { text: '\u0000' } })],
  [
    'a wrong reference',
    'reference',
    'remittance.reference',
    order({ remittance: { reference: 'RF19539007547034' } }),
  ],
  [
    'a reference with spaces',
    'reference',
    'remittance.reference',
    order({ remittance: { reference: 'RF18 5390 0754 7034' } }),
  ],
  ['a wrong purpose', 'purpose', 'purpose', order({ purpose: 'loan' })],
  [
    'no day',
    'day_exists',
    'requested_on',
    transferFile(undefined, {
      requested_on: '2026-02-30' as never,
    }),
  ],
  [
    'yesterday',
    'day_past',
    'requested_on',
    transferFile(undefined, {
      requested_on: day('2026-11-26'),
    }),
  ],
  [
    'a Saturday',
    'day_closed',
    'requested_on',
    transferFile(undefined, {
      requested_on: day('2026-11-28'),
    }),
  ],
  [
    'Christmas',
    'day_closed',
    'requested_on',
    {
      ...debitFile(undefined, { requested_on: day('2026-12-25') }),
      created_at: new Date('2026-12-21T08:00:00Z'),
    },
  ],
  [
    'a debit today',
    'lead_time',
    'requested_on',
    debitFile(undefined, {
      requested_on: day('2026-11-27'),
    }),
  ],
  [
    'a debit in 17 days',
    'too_early',
    'requested_on',
    debitFile(undefined, {
      requested_on: day('2026-12-14'),
    }),
  ],
  [
    'a wrong creditor identifier',
    'creditor_identifier',
    'creditor_identifier',
    debitFile(undefined, { creditor_identifier: 'FR00ZZZ123456' }),
  ],
  [
    'a creditor identifier in small letters',
    'creditor_identifier',
    'creditor_identifier',
    debitFile(undefined, {
      creditor_identifier: debitFile().groups[0]!.creditor_identifier.toLowerCase(),
    }),
  ],
  ['no mandate reference', 'mandate_reference', 'mandate.reference', mandate('')],
  ['a mandate with a space', 'mandate_reference', 'mandate.reference', mandate('M 1')],
  ['a mandate with a sign', 'mandate_reference', 'mandate.reference', mandate('M_1')],
  ['a long mandate', 'mandate_reference', 'mandate.reference', mandate('M'.repeat(36))],
  [
    'a mandate signed tomorrow',
    'mandate_day',
    'mandate.signed_on',
    debitFile([debitOrder(1, { mandate: { reference: 'M1', signed_on: day('2026-11-28') } })]),
  ],
]

test('valid files have no faults', () => {
  for (const file of [
    transferFile(),
    debitFile(),
    transferFile([transferOrder(1, { counterparty: swiss })]),
    transferFile(undefined, { instant: true, requested_on: day('2026-11-28') }),
    debitFile(undefined, { requested_on: day('2026-12-11') }),
  ]) {
    expect(checkOrderFile(file, generic)).toEqual([])
  }
})

test.for(CASES)('%s: %s of %s', ([, rule, field, file]) => {
  const [reason_code, source] = RULES[rule]
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
