/** Which orders come together in a file, and when it is written. */
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { creditorId } from '../../../src/countries/index.ts'
import {
  datesOf,
  dueAt,
  handOverDay,
  payoutDay,
} from '../../../src/integrations/adapters/file-bank/rules.ts'
import { endToEndIdOf } from '../../../src/integrations/bank-files/index.ts'
import type { Lender } from '../../../src/platform/db/settings.ts'
import { addTargetDays, isTargetDay } from '../../../src/platform/kit/calendar.ts'
import { addDays, type Day, day, max, momentOf, parisDay } from '../../../src/platform/kit/dates.ts'
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

const LEAD = { CORE: 1, B2B: 2 }
const kindsAt = (now: Date) =>
  dueAt(now, { transfer: '17:00', debit: '15:00' }, LEAD).map(due => due.kind)

test('files are written on TARGET days, each kind before its cut-off', () => {
  expect(kindsAt(at('2027-01-15', 14))).toEqual(['SCT', 'CORE', 'B2B'])
  expect(kindsAt(at('2027-01-15', 15))).toEqual(['SCT'])
  expect(kindsAt(at('2027-01-15', 17))).toEqual([])
  expect(kindsAt(at('2027-01-16', 9))).toEqual([])
  expect(kindsAt(at('2027-03-26', 9))).toEqual([])
})

const DAYS = Array.from({ length: 24 }, (_, n) => addDays(day('2027-03-19'), n))
const CUT_OFFS = ['00:30', '09:00', '15:00', '23:30']

/**
 * What a patient reader of the rules expects: on the first TARGET day from `hand_over_on` on that
 * has a moment before the cut-off and after the order was taken, at its first such moment.
 */
function expectedMoment(moments: readonly Date[], taken: Date, hand_over_on: Day, cutOff: string) {
  return moments.find(moment => {
    const today = parisDay(moment)
    const time = moment.toLocaleTimeString('en-GB', { timeZone: 'Europe/Paris' }).slice(0, 5)
    return moment >= taken && isTargetDay(today) && today >= hand_over_on && time < cutOff
  })
}

test.each(CUT_OFFS)(
  'around Easter and a change of the clocks, with a cut-off at %s, no order leaves early or late',
  cutOff => {
    const cutOffs = { transfer: cutOff, debit: cutOff }
    const hours = [0, 8, 12, 15, 23]
    const moments = DAYS.flatMap(on => hours.map(hour => momentOf(on, hour, 10)))
    for (const kind of ['SCT', 'CORE', 'B2B'] as const) {
      const scheme = kind === 'SCT' ? null : kind
      for (const requested of DAYS.slice(3, -8)) {
        const { execute_on, hand_over_on } = datesOf(scheme, requested, LEAD)
        for (const taken of moments.slice(0, -50)) {
          const leavesAt = moments.find(moment => {
            const due = dueAt(moment, cutOffs, LEAD).find(one => one.kind === kind)
            return moment >= taken && due !== undefined && hand_over_on <= due.until
          })
          expect(leavesAt).toEqual(expectedMoment(moments, taken, hand_over_on, cutOff))
          const due = dueAt(leavesAt!, cutOffs, LEAD).find(one => one.kind === kind)!
          const lead = scheme === null ? 0 : LEAD[scheme]
          expect(due.first_on).toBe(addTargetDays(parisDay(leavesAt!), lead))
          const is_in_time = parisDay(leavesAt!) === hand_over_on
          const executed = max(execute_on, due.first_on)
          expect(executed === execute_on).toBe(is_in_time || due.first_on <= execute_on)
        }
      }
    }
  },
)

test('after the cut-off, orders of the next day stay and can be recalled', async () => {
  const { app, bank, database } = await fileBankApp()
  const today = orderOf()
  const tomorrow = orderOf({ requested_on: day('2027-01-12') })
  await onDay(app, '2027-01-11', 16)
  for (const order of [today, tomorrow]) await bank.submit(order)
  await exchangeAll(bank)
  expect(await filesOf(database)).toEqual([])
  expect(await bank.recall(tomorrow.payment_id)).toBe('recalled')
  await onDay(app, '2027-01-12', 9)
  await exchangeAll(bank)
  expect(await filesOf(database)).toMatchObject([{ execute_on: '2027-01-12', orders: 1 }])
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
    const [, sequence] = /<SeqTp>(.*?)<\/SeqTp>/.exec(text) ?? []
    const [, scheme] = /<LclInstrm><Cd>(.*?)<\/Cd>/.exec(text) ?? []
    const [, on] = /<Req.*?Dt>(?:<Dt>)?(.*?)</.exec(text)!
    return `${scheme} ${sequence} ${on} ${text.match(/<EndToEndId>/g)!.length}`
  })
  expect(kinds.sort()).toEqual([
    'B2B FRST 2027-01-13 1',
    'B2B RCUR 2027-01-13 1',
    'CORE RCUR 2027-01-12 2',
    'undefined undefined 2027-01-11 1',
    'undefined undefined 2027-01-11 3',
    'undefined undefined 2027-01-11 3',
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

test('an order that the writer cannot write waits with an alert; the others leave', async () => {
  const { bank, bankWith, database, folders } = await fileBankApp({ orders_max: 10 })
  const first = orderOf()
  await bank.submit(first)
  await exchangeAll(bank)
  const [file] = await filesOf(database)
  const orders = Array.from({ length: 7 }, () => orderOf())
  for (const order of [...orders, debitOf()]) await bank.submit(order)
  putIncoming(folders, 'r.xml', reportOf({ message_id: file!.message_id, group: 'ACCP' }))
  const [bad] = orders.slice(4)
  const real = testWriter({ orders_max: 10 })
  const writer = {
    ...real,
    write: (...[contents, lender]: Parameters<typeof real.write>) => {
      const has_bad = contents.orders.some(order => order.payment_id === bad!.payment_id)
      if (has_bad) throw new Error('a fault of the writer')
      return real.write(contents, lender)
    },
  }
  const failing = bankWith({ writer })
  await failing.exchange()
  await failing.exchange()
  const written = (await filesOf(database)).map(one => `${one.state} ${one.orders}`)
  expect(written.toSorted()).toEqual(['ACCEPTED 1', 'SENT 1', 'SENT 6'])
  const [alert, ...more] = await alertsOf(database)
  expect([alert!.kind, more]).toEqual(['orders_unwritten', []])
  expect(alert!.detail).toContain(endToEndIdOf(bad!.payment_id))
  expect(alert!.detail).toContain('a fault of the writer')
  await exchangeAll(bank)
  expect((await filesOf(database)).map(one => one.orders).toSorted()).toEqual([1, 1, 1, 6])
  expect(await alertsOf(database)).toEqual([])
})

test('of several orders that cannot be written, each has its alert; the others leave', async () => {
  const { bankWith, database } = await fileBankApp({ orders_max: 10 })
  const orders = Array.from({ length: 5 }, () => orderOf())
  const bad = [orders[0]!.payment_id, orders[4]!.payment_id]
  const real = testWriter({ orders_max: 10 })
  const failing = bankWith({
    writer: {
      ...real,
      write: (...[contents, lender]: Parameters<typeof real.write>) => {
        if (contents.orders.some(one => bad.includes(one.payment_id))) throw new Error('no')
        return real.write(contents, lender)
      },
    },
  })
  for (const order of orders) await failing.submit(order)
  await failing.exchange()
  expect((await filesOf(database)).map(one => one.orders)).toEqual([3])
  const details = (await alertsOf(database)).map(alert => alert.detail)
  expect(details).toHaveLength(2)
  for (const id of bad) {
    expect(details.filter(detail => detail.includes(endToEndIdOf(id)))).toHaveLength(1)
    expect(await failing.recall(id)).toBe('recalled')
  }
  expect(await alertsOf(database)).toEqual([])
})

test('a fault in the lender’s own data fails no payment: its orders wait', async () => {
  const { bankWith, database, news } = await fileBankApp()
  const real = testWriter()
  const townless = (lender: Lender) => ({ ...lender, address: { ...lender.address, town: '!!!' } })
  const bank = bankWith({
    writer: {
      ...real,
      reasonAgainst: (order, group, lender, today) =>
        real.reasonAgainst(order, group, townless(lender), today),
      write: (file, lender) => real.write(file, townless(lender)),
    },
  })
  const abroad = { iban: 'CH9300762011623852957', bic: 'POFICHBEXXX', name: 'A company' }
  expect(await bank.submit(orderOf({ counterparty: abroad }))).toEqual({ state: 'accepted' })
  await exchangeAll(bank)
  expect([await filesOf(database), news]).toEqual([[], []])
  expect(await alertsOf(database)).toMatchObject([{ kind: 'orders_unwritten' }])
  await exchangeAll(bankWith({}))
  expect(await filesOf(database)).toMatchObject([{ orders: 1 }])
})

test('orders leave the account that they name, in a file of its own', async () => {
  const { bank, database, folders } = await fileBankApp()
  const { collection_iban, funding_iban } = database.settings.lender
  const refund = orderOf({ account: 'COLLECTION' })
  for (const order of [orderOf(), refund]) await bank.submit(order)
  await exchangeAll(bank)
  const texts = [...delivered(folders).values()]
  expect(texts).toHaveLength(2)
  const [fromCollection] = texts.filter(text => text.includes(endToEndIdOf(refund.payment_id)))
  expect(fromCollection).toContain(collection_iban.replaceAll(' ', ''))
  expect(fromCollection).not.toContain(funding_iban.replaceAll(' ', ''))
})

test('a group that cannot be written waits with one alert; other groups leave', async () => {
  const { bankWith, database } = await fileBankApp()
  const real = testWriter()
  const writer = {
    ...real,
    write: (...[contents, lender]: Parameters<typeof real.write>) =>
      real.write(contents, { ...lender, funding_iban: 'FR76' }),
  }
  const failing = bankWith({ writer })
  for (const order of [orderOf(), orderOf(), debitOf()]) await failing.submit(order)
  await failing.exchange()
  expect(await filesOf(database)).toMatchObject([{ orders: 1, execute_on: '2027-01-12' }])
  const alerts = await alertsOf(database)
  expect(alerts).toMatchObject([{ kind: 'orders_unwritten' }])
  expect(alerts[0]!.detail).toContain('and 1 others of its group')
  await exchangeAll(bankWith({}))
  expect(await filesOf(database)).toHaveLength(2)
  expect(await alertsOf(database)).toEqual([])
})

test('an order found at fault when its file is written fails for its reason, once', async () => {
  const { bankWith, database, news } = await fileBankApp()
  const lenient = { ...testWriter(), reasonAgainst: () => null }
  const bank = bankWith({ writer: lenient })
  const nameless = orderOf({
    counterparty: { iban: 'DE89370400440532013000', bic: '', name: '!!!' },
  })
  for (const order of [orderOf(), nameless, orderOf()]) await bank.submit(order)
  await exchangeAll(bank)
  await exchangeAll(bank)
  expect(await filesOf(database)).toMatchObject([{ state: 'SENT', orders: 2 }])
  expect(news).toMatchObject([
    {
      bank_reference: `refused-${nameless.payment_id}`,
      kind: 'REJECTED',
      payment_id: nameless.payment_id,
      reason_code: 'BE21',
    },
  ])
  expect(await bank.submit(nameless)).toEqual({ state: 'refused', reason_code: 'BE21' })
  expect(await bank.recall(nameless.payment_id)).toBe('too_late')
  expect(await alertsOf(database)).toEqual([])
})

test('debits of different creditors come into files of their own', async () => {
  const { bank, folders } = await fileBankApp()
  const older = debitOf()
  const other = debitOf()
  const creditor_identifier = creditorId('FR', '654321')
  await bank.submit(older)
  await bank.submit({ ...other, mandate: { ...other.mandate!, creditor_identifier } })
  await exchangeAll(bank)
  const texts = [...delivered(folders).values()]
  expect(texts).toHaveLength(2)
  expect(texts.filter(text => text.includes(creditor_identifier))).toHaveLength(1)
})

test('files that wait for an authorization at the bank say so', async () => {
  const { bank, database } = await fileBankApp({ awaits_authorization: true })
  await bank.submit(orderOf())
  await exchangeAll(bank)
  expect(await filesOf(database)).toMatchObject([{ state: 'WAITING_AUTHORISATION' }])
})
