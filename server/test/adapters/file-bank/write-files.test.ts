/** Which orders come together in a file, and when it is written. */
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  dueAt,
  handOverDay,
  payoutDay,
} from '../../../src/integrations/adapters/file-bank/rules.ts'
import { day, momentOf } from '../../../src/platform/kit/dates.ts'
import {
  alertsOf,
  debitOf,
  delivered,
  exchangeAll,
  fileBankApp,
  filesOf,
  onDay,
  orderOf,
  putIncoming,
  reportOf,
  testWriter,
} from './support.ts'

const at = (on: string, hour: number) => momentOf(day(on), hour)

test.each([
  ['before the cut-off', at('2027-01-11', 14), '2027-01-11'],
  ['at the cut-off', at('2027-01-11', 15), '2027-01-12'],
  ['on a Friday after it', at('2027-01-15', 16), '2027-01-18'],
  ['on a Saturday', at('2027-01-16', 9), '2027-01-18'],
  ['on Maundy Thursday after it', at('2027-03-25', 16), '2027-03-30'],
  ['on New Year', at('2027-01-01', 9), '2027-01-04'],
])('orders handed over %s count for', (_, now, expected) => {
  expect(handOverDay(now, '15:00')).toBe(expected)
})

test('a payout settles on the first TARGET day before whose cut-off it is instructed', () => {
  const cutOffs = { transfer: '15:00', debit: '15:00' }
  const on = (requested: string, now: Date, cutOff = '23:00') =>
    payoutDay(day(requested), now, cutOff, cutOffs)
  expect(on('2027-01-11', at('2027-01-11', 9))).toBe('2027-01-11')
  expect(on('2027-01-11', at('2027-01-11', 16))).toBe('2027-01-12')
  expect(on('2027-01-11', at('2027-01-11', 13), '12:00')).toBe('2027-01-12')
  expect(on('2027-01-16', at('2027-01-11', 9))).toBe('2027-01-18')
})

test('a debit is due before the lead time of its scheme, and late ones move', () => {
  const lead = { CORE: 1, B2B: 2 }
  const due = dueAt(at('2027-01-15', 16), { transfer: '17:00', debit: '15:00' }, lead)
  expect(due.transfers).toEqual({ until: '2027-01-15', first_on: '2027-01-15' })
  expect(due.debits.CORE).toEqual({ until: '2027-01-18', first_on: '2027-01-19' })
  expect(due.debits.B2B).toEqual({ until: '2027-01-18', first_on: '2027-01-20' })
})

test('orders of one kind, scheme, sequence type and day come together', async () => {
  const { bank, database, folders } = await fileBankApp({ debit_lead_days: { CORE: 1, B2B: 2 } })
  const transfers = Array.from({ length: 7 }, () => orderOf())
  const core = [debitOf(), debitOf()]
  const b2b = debitOf({ scheme: 'B2B', requested_on: day('2027-01-13') })
  const second = { ...b2b, payment_id: orderOf().payment_id }
  const later = [
    orderOf({ requested_on: day('2027-01-12') }),
    debitOf({ requested_on: day('2027-01-13') }),
  ]
  for (const order of [...transfers, ...core, b2b, second, ...later]) await bank.submit(order)
  await exchangeAll(bank)
  const kinds = [...delivered(folders).values()].map(text => {
    const kind = /<Kind>(.*)<\/Kind>\s*<On>(.*)<\/On>/.exec(text)!
    return `${kind[1]} ${kind[2]} ${text.match(/<Tx>/g)!.length}`
  })
  expect(kinds.sort()).toEqual([
    'SCT null null 2027-01-11 1',
    'SCT null null 2027-01-11 3',
    'SCT null null 2027-01-11 3',
    'SDD B2B FRST 2027-01-13 1',
    'SDD B2B RCUR 2027-01-13 1',
    'SDD CORE RCUR 2027-01-12 2',
  ])
  expect((await filesOf(database)).map(({ state }) => state)).toEqual(Array(6).fill('SENT'))
  expect(readdirSync(folders.outgoing).filter(name => name.startsWith('.'))).toEqual([])
})

test('orders for a closed day, and late ones, are executed on the next possible day', async () => {
  const { app, bank, database } = await fileBankApp()
  await bank.submit(orderOf({ requested_on: day('2027-01-16') }))
  await bank.submit(debitOf({ requested_on: day('2027-01-12') }))
  await onDay(app, '2027-01-15')
  await exchangeAll(bank)
  // The debit was to be handed over on the 11th.
  expect((await filesOf(database)).map(file => file.execute_on)).toEqual(['2027-01-18'])
  await onDay(app, '2027-01-18')
  await exchangeAll(bank)
  const days = (await filesOf(database)).map(file => `${file.execute_on} ${file.orders}`)
  expect(days).toEqual(['2027-01-18 1', '2027-01-18 1'])
})

test('orders that cannot be written raise an alert; reports are read all the same', async () => {
  const { bank, bankWith, database, folders } = await fileBankApp()
  const order = orderOf()
  await bank.submit(order)
  await exchangeAll(bank)
  const [file] = await filesOf(database)
  await bank.submit(orderOf())
  const writer = {
    ...testWriter(),
    write: () => {
      throw new Error('a fault of the writer')
    },
  }
  putIncoming(folders, 'r.xml', reportOf({ message_id: file!.message_id, group: 'ACCP' }))
  const failing = bankWith({ writer })
  await expect(failing.exchange()).rejects.toThrow('a fault of the writer')
  await expect(failing.exchange()).rejects.toThrow('a fault of the writer')
  expect(await filesOf(database)).toMatchObject([{ state: 'ACCEPTED' }])
  expect(await alertsOf(database)).toMatchObject([{ kind: 'orders_unwritten' }])
  await exchangeAll(bank)
  expect((await filesOf(database)).map(({ state }) => state)).toEqual(['ACCEPTED', 'SENT'])
  expect(await alertsOf(database)).toEqual([])
})

test('files that wait for an authorization at the bank say so', async () => {
  const { bank, database } = await fileBankApp({ awaits_authorization: true })
  await bank.submit(orderOf())
  await exchangeAll(bank)
  expect(await filesOf(database)).toMatchObject([{ state: 'WAITING_AUTHORISATION' }])
})
