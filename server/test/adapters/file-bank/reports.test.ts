/** The bank's reports (pain.002) move files, and pass each rejection on once. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { folderExchange } from '../../../src/integrations/adapters/file-bank/transport/folder.ts'
import { endToEndIdOf } from '../../../src/integrations/bank-files/index.ts'
import type { PaymentOrder } from '../../../src/integrations/ports/bank.ts'
import { hasSamples, sample } from '../../bank-files/reading/support.ts'
import {
  alertsOf,
  exchangeAll,
  type FileBankApp,
  fileBankApp,
  filesOf,
  orderOf,
  ordersOf,
  putIncoming,
  type RawReport,
  rawReport,
  read,
  reportOf,
} from './support.ts'

interface Sent extends FileBankApp {
  readonly orders: readonly PaymentOrder[]
  readonly message_id: string
  /** The bank reports, and the report is read. */
  reports(report: Omit<Parameters<typeof reportOf>[0], 'message_id'>): Promise<void>
  /** The same, with elements as the bank wrote them. */
  raw(report: Partial<RawReport>): Promise<void>
  state(): Promise<string>
}

let files = 0

/** A file with orders that was delivered; its bank's news goes to `news`. */
async function sent(count = 3): Promise<Sent> {
  const at = await fileBankApp()
  const bank = at.bankWith({})
  const orders = Array.from({ length: count }, () => orderOf())
  for (const order of orders) await bank.submit(order)
  await exchangeAll(bank)
  const [file] = await filesOf(at.database)
  const { message_id } = file!
  return {
    ...at,
    bank,
    orders,
    message_id,
    reports: async report => {
      files++
      putIncoming(at.folders, `status-${files}.xml`, reportOf({ message_id, ...report }))
      await exchangeAll(bank)
    },
    raw: async report => {
      files++
      putIncoming(at.folders, `status-${files}.xml`, rawReport({ message_id, ...report }))
      await exchangeAll(bank)
    },
    state: async () => (await filesOf(at.database))[0]!.state,
  }
}

test('a positive status changes the file only, and is no news', async () => {
  const { reports, state, news, database } = await sent()
  await reports({ group: 'RCVD' })
  expect(await state()).toBe('SENT')
  await reports({ group: 'ACTC' })
  expect(await state()).toBe('ACCEPTED')
  await reports({ payment: 'ACSP' })
  expect(await state()).toBe('ACCEPTED')
  expect((await ordersOf(database)).map(row => row.answer)).toEqual(['ACSP', 'ACSP', 'ACSP'])
  expect(news).toEqual([])
  expect(await alertsOf(database)).toEqual([])
})

test('a rejected file rejects all its orders, each once', async () => {
  const { reports, state, news, orders } = await sent()
  await reports({ group: 'ACTC' })
  await reports({ group: 'RJCT', reason: 'FF01' })
  await reports({ group: 'RJCT', reason: 'FF01' })
  expect(await state()).toBe('REJECTED')
  expect(news).toHaveLength(3)
  expect(news.map(one => one.payment_id).sort()).toEqual(orders.map(o => o.payment_id).sort())
  expect(news[0]).toMatchObject({
    kind: 'REJECTED',
    amount: 12_345n,
    value_on: '2027-01-11',
    reason_code: 'FF01',
  })
})

test('a rejected payment rejects its orders for its own reason, else for the file’s', async () => {
  const own = await sent()
  await own.reports({ payment: 'RJCT', reason: 'DT01' })
  expect(await own.state()).toBe('REJECTED')
  expect(new Set(own.news.map(one => one.reason_code))).toEqual(new Set(['DT01']))
  const common = await sent()
  await common.reports({ group: 'RJCT', reason: 'FF01', payment: 'RJCT' })
  expect(new Set(common.news.map(one => one.reason_code))).toEqual(new Set(['FF01']))
  const none = await sent()
  await none.reports({ payment: 'RJCT' })
  expect(new Set(none.news.map(one => one.reason_code))).toEqual(new Set(['MS03']))
})

test('some rejected transactions accept the file partly; all of them reject it', async () => {
  const { reports, state, news, orders } = await sent()
  const rejected = (order: PaymentOrder, reason: string) => ({ order, code: 'RJCT', reason })
  await reports({ transactions: [rejected(orders[0]!, 'AC04')] })
  expect(await state()).toBe('PARTLY_ACCEPTED')
  await reports({ group: 'PART', transactions: [rejected(orders[1]!, 'AG01')] })
  expect(await state()).toBe('PARTLY_ACCEPTED')
  await reports({ payment: 'RJCT', transactions: [rejected(orders[2]!, 'AC01')] })
  expect(await state()).toBe('REJECTED')
  expect(news.map(one => [one.payment_id, one.reason_code])).toEqual([
    [orders[0]!.payment_id, 'AC04'],
    [orders[1]!.payment_id, 'AG01'],
    [orders[2]!.payment_id, 'AC01'],
  ])
})

test('the status of a transaction counts before that of its payment', async () => {
  const { reports, state, news, orders } = await sent()
  await reports({ payment: 'RJCT', transactions: [{ order: orders[0]!, code: 'ACCP' }] })
  expect(await state()).toBe('PARTLY_ACCEPTED')
  expect(news.map(one => one.payment_id).sort()).toEqual(
    [orders[1]!.payment_id, orders[2]!.payment_id].sort(),
  )
})

test.each([
  ['an acceptance after a rejection', { group: 'RJCT', reason: 'FF01' }, { group: 'ACCP' }, 3],
  ['a rejection after the settlement', { group: 'ACSC' }, { group: 'RJCT', reason: 'AC04' }, 0],
])('%s is kept, changes nothing and raises an alert', async (_, first, second, rejections) => {
  const { reports, state, news, database } = await sent()
  await reports(first)
  const before = await state()
  await reports(second)
  expect(await state()).toBe(before)
  expect(news).toHaveLength(rejections)
  expect(await alertsOf(database)).toMatchObject([{ kind: 'bank_file_unfit' }])
  const kept = await read(database, tx =>
    tx.all(sql`select code, unfit_because from order_answers order by bank_file_id`),
  )
  expect(kept).toEqual([
    { code: first.group, unfit_because: null },
    { code: second.group, unfit_because: expect.stringMatching(/ after /) },
  ])
})

const CODE = (code: string) => `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`
const OWN_CODE = (code: string) => `<StsRsnInf><Rsn><Prtry>${code}</Prtry></Rsn></StsRsnInf>`
const TEXT = (...lines: string[]) => {
  const added = lines.map(line => `<AddtlInf>${line}</AddtlInf>`).join('')
  return `<StsRsnInf><Rsn><Cd>NARR</Cd></Rsn>${added}</StsRsnInf>`
}
const DUPLICATES = [
  ...['AM05', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05'].map(CODE),
  OWN_CODE('AM05'),
  OWN_CODE('du01'),
  OWN_CODE('TXDUPLICATE'),
  `${CODE('NARR')}${CODE('AM05')}`,
  TEXT('Rejected: AM05'),
  TEXT('Duplicate file'),
  TEXT('The file is a dupli', 'cate of an earlier one'),
  TEXT('Fichier déjà reçu'),
  TEXT('Doppelte Einreichung'),
  OWN_CODE('DUPL'),
  CODE('RF01'),
  TEXT('DOUBLE  PAYMENT'),
  TEXT('Double remise'),
  TEXT('Fichier de\u0301ja\u0300 inte\u0301gre\u0301'),
  TEXT('MsgId is not unique'),
  TEXT('ya procesado'),
  TEXT('Doppia presentazione'),
]

test.each(DUPLICATES)('a rejection as a duplicate fails no payment: %s', async reason => {
  const { raw, state, news, orders, database } = await sent()
  const [first, second, third] = orders.map(order => endToEndIdOf(order.payment_id))
  const rejected = '<TxSts>RJCT</TxSts>'
  const id = `<OrgnlEndToEndId>${first}</OrgnlEndToEndId>`
  const places = [
    { group: `<GrpSts>RJCT</GrpSts>${reason}` },
    { group: `<GrpSts>RJCT</GrpSts>${reason}`, block: '<PmtInfSts>RJCT</PmtInfSts>' },
    { group: reason, block: '<PmtInfSts>RJCT</PmtInfSts>' },
    { block: `<PmtInfSts>RJCT</PmtInfSts>${reason}` },
    { group: `<GrpSts>RJCT</GrpSts>`, block: reason },
    { group: reason, block: `<TxInfAndSts>${id}${rejected}${CODE('NARR')}</TxInfAndSts>` },
    { block: `${reason}<TxInfAndSts>${id}${rejected}</TxInfAndSts>` },
    { block: `<TxInfAndSts>${id}${rejected}${reason}</TxInfAndSts>` },
    { block: `<PmtInfSts>RJCT</PmtInfSts><TxInfAndSts>${id}${reason}</TxInfAndSts>` },
    {
      group: '<GrpSts>RJCT</GrpSts>',
      block: `<TxInfAndSts>${id}${rejected}${reason}</TxInfAndSts>`,
    },
    {
      message_id: 'NOTPROVIDED',
      block: [first, second, third]
        .map(
          one => `<TxInfAndSts><OrgnlEndToEndId>${one}</OrgnlEndToEndId>${rejected}</TxInfAndSts>`,
        )
        .reduce((all, one) => all + one, `<PmtInfSts>RJCT</PmtInfSts>${reason}`),
    },
  ]
  for (const place of places) await raw(place)
  expect([await state(), news]).toEqual(['SENT', []])
  const alerts = await alertsOf(database)
  expect(alerts).toHaveLength(places.length)
  const [unnamed] = alerts.splice(-1)
  expect(unnamed!.detail).toContain('not ours (and 3 more)')
  for (const { detail } of alerts) expect(detail).toContain('the bank may execute the first copy')
})

test('of several blocks, each speaks of its own transactions only', async () => {
  const { raw, state, news, orders, database } = await sent()
  const [first, second, third] = orders.map(order => endToEndIdOf(order.payment_id))
  const within = (id: string | undefined, code = '') =>
    `<TxInfAndSts><OrgnlEndToEndId>${id}</OrgnlEndToEndId>${code}</TxInfAndSts>`
  await raw({
    block: `<PmtInfSts>RJCT</PmtInfSts>${CODE('AC04')}${within(first)}`,
    more: `<PmtInfSts>ACSP</PmtInfSts>${within(second)}`,
  })
  // Nothing says to which of the two blocks the third order belongs.
  expect(await state()).toBe('PARTLY_ACCEPTED')
  expect(news.map(one => [one.payment_id, one.reason_code])).toEqual([
    [orders[0]!.payment_id, 'AC04'],
  ])
  const rows = await ordersOf(database)
  const answerOf = (index: number) =>
    rows.find(row => row.payment_id === orders[index]!.payment_id)!.answer
  expect([answerOf(0), answerOf(1), answerOf(2)]).toEqual(['RJCT', 'ACSP', null])
  expect((await alertsOf(database))[0]!.detail).toContain('several statuses for the file')
  await raw({ block: within(third, `<TxSts>RJCT</TxSts>${CODE('AC01')}`) })
  expect(news).toHaveLength(2)
})

test('a block about a payment that is not in the file speaks for none of its orders', async () => {
  const { raw, state, news, database } = await sent()
  await raw({ about: 'ANOTHER PAYMENT', block: `<PmtInfSts>RJCT</PmtInfSts>${CODE('AC04')}` })
  expect([await state(), news]).toEqual(['SENT', []])
  expect((await alertsOf(database))[0]!.detail).toContain('which is not in the file')
  await raw({
    about: 'ANOTHER PAYMENT',
    block: `<PmtInfSts>RJCT</PmtInfSts>${CODE('AC04')}`,
    more: '<PmtInfSts>ACCP</PmtInfSts>',
  })
  expect([await state(), news]).toEqual(['ACCEPTED', []])
})

test('a file with two reports is refused whole', async () => {
  const { bank, folders, state, news, message_id, database } = await sent()
  const group = (id: string) =>
    `<OrgnlGrpInfAndSts><OrgnlMsgId>${id}</OrgnlMsgId><OrgnlMsgNmId>pain.001</OrgnlMsgNmId>` +
    '<GrpSts>RJCT</GrpSts></OrgnlGrpInfAndSts>'
  const one = reportOf({ message_id, group: 'RJCT', reason: 'AC04' })
  const two = one.replace('<OrgnlGrpInfAndSts>', `${group('OTHER')}<OrgnlGrpInfAndSts>`)
  putIncoming(folders, 'two.xml', two)
  await exchangeAll(bank)
  expect([await state(), news]).toEqual(['SENT', []])
  expect((await alertsOf(database))[0]!.detail).toContain('cannot be read')
})

test('a status for another amount is not applied', async () => {
  const { reports, state, news, orders, database } = await sent()
  await reports({
    transactions: [{ order: orders[0]!, code: 'RJCT', reason: 'AC04', amount: '1.00' }],
  })
  expect([await state(), news]).toEqual(['SENT', []])
  expect((await alertsOf(database))[0]!.detail).toContain('but the order is for 12345 cents')
  await reports({
    transactions: [{ order: orders[0]!, code: 'RJCT', reason: 'AC04', amount: '123.45' }],
  })
  expect(news).toHaveLength(1)
})

test('two statuses for one order in one report are both judged', async () => {
  const { reports, state, news, orders, database } = await sent()
  const [order] = orders
  await reports({
    transactions: [
      { order: order!, code: 'RJCT', reason: 'AC04' },
      { order: order!, code: 'ACSP' },
    ],
  })
  expect([await state(), news.length]).toEqual(['PARTLY_ACCEPTED', 1])
  expect((await alertsOf(database))[0]!.detail).toContain('ACSP after a rejection')
})

test('a late report of an earlier step takes nothing back', async () => {
  const { reports, database } = await sent()
  await reports({ group: 'ACSC' })
  await reports({ group: 'ACTC' })
  expect((await ordersOf(database)).map(row => row.answer)).toEqual(['ACSC', 'ACSC', 'ACSC'])
  expect(await alertsOf(database)).toEqual([])
})

test.each(['RCVC', 'RVMC', 'RVNM', 'RVNA', 'RVNC'])(
  'the check of the payee %s is stored, and is no answer to the order',
  async code => {
    const { reports, state, orders, news, database } = await sent()
    await reports({ group: 'RCVM', transactions: [{ order: orders[0]!, code }] })
    const rows = await ordersOf(database)
    const row = rows.find(one => one.payment_id === orders[0]!.payment_id)
    expect(row).toMatchObject({ payee_check: code, answer: null })
    expect([await state(), news, await alertsOf(database)]).toEqual(['SENT', [], []])
  },
)

test('an unknown code, file or order is kept and raises an alert', async () => {
  const { reports, state, database, folders, bank } = await sent()
  await reports({ group: 'WXYZ' })
  await reports({ transactions: [{ order: orderOf(), code: 'RJCT', reason: 'AC04' }] })
  putIncoming(folders, 'other.xml', reportOf({ message_id: 'SOMEBODY ELSE', group: 'RJCT' }))
  await exchangeAll(bank)
  expect(await state()).toBe('SENT')
  const details = (await alertsOf(database)).map(alert => alert.detail)
  expect(details).toHaveLength(3)
  expect(details[0]).toContain('WXYZ is not a known status')
  expect(details[1]).toContain('no order in a file of ours')
  expect(details[2]).toContain('a file that is not ours')
})

test('a report that does not name the file is matched by the orders', async () => {
  const { orders, news, folders, bank, state } = await sent()
  const transactions = [{ order: orders[0]!, code: 'RJCT', reason: 'AC04' }]
  const report = reportOf({ message_id: 'NOTPROVIDED', group: 'PART', transactions })
  putIncoming(folders, 'other.xml', report)
  await exchangeAll(bank)
  expect(news.map(one => one.payment_id)).toEqual([orders[0]!.payment_id])
  expect(await state()).toBe('PARTLY_ACCEPTED')
})

test('a rejection whose report is lost is reported again, under the same reference', async () => {
  const { folders, message_id, bankWith, news } = await sent()
  putIncoming(folders, 'r.xml', reportOf({ message_id, group: 'RJCT', reason: 'AC04' }))
  const failing = bankWith({ inbox: async () => Promise.reject(new Error('lost')) })
  await failing.exchange()
  await expect(failing.exchange()).rejects.toThrow('lost')
  const bank = bankWith({})
  await exchangeAll(bank)
  await exchangeAll(bank)
  expect(news).toHaveLength(3)
})

test('an answer to a file whose delivery is not confirmed confirms it', async () => {
  const { bankWith, database, folders } = await fileBankApp()
  const folder = folderExchange(folders)
  let deliveries = 0
  const bank = bankWith({
    files: {
      during: work =>
        folder.during(transport =>
          work({
            ...transport,
            deliver: async () => {
              deliveries++
              return 'unknown'
            },
          }),
        ),
    },
  })
  await bank.submit(orderOf())
  await bank.exchange()
  const [file] = await filesOf(database)
  expect(file!.state).toBe('UNKNOWN')
  putIncoming(folders, 'r.xml', reportOf({ message_id: file!.message_id, group: 'ACCP' }))
  await bank.exchange()
  await bank.exchange()
  expect(await filesOf(database)).toMatchObject([{ state: 'ACCEPTED' }])
  const before = deliveries
  await bank.exchange()
  expect(deliveries).toBe(before)
})

const sampled = test.skipIf(!hasSamples)

/** A real report, about our file and orders instead of those that it names. */
function rewritten(name: string, message_id: string, references: readonly string[] = []): string {
  let text = sample(name).toString('utf8')
  text = text.replace(/(<OrgnlMsgId>|<OrgnlPmtInfId>)[^<]*/g, `$1${message_id}`)
  let next = 0
  return text.replace(/(<OrgnlEndToEndId>)[^<]*/g, (_, tag) => `${tag}${references[next++]}`)
}

sampled('reports of real banks: a group and a payment accepted, a group as duplicate', async () => {
  const accepted = await sent()
  for (const name of ['group-accepted-gs', 'payment-accepted-gs']) {
    putIncoming(
      accepted.folders,
      `${name}.xml`,
      rewritten(`pain002-03-${name}.xml`, accepted.message_id),
    )
  }
  await exchangeAll(accepted.bank)
  expect(await accepted.state()).toBe('ACCEPTED')
  expect((await ordersOf(accepted.database)).map(row => row.answer)).toEqual(Array(3).fill('ACCP'))
  const duplicate = rewritten('pain002-03-group-rejected-nordea.xml', accepted.message_id)
  putIncoming(accepted.folders, 'duplicate.xml', duplicate)
  await exchangeAll(accepted.bank)
  expect([await accepted.state(), accepted.news]).toEqual(['ACCEPTED', []])
  expect(await alertsOf(accepted.database)).toMatchObject([{ kind: 'bank_file_unfit' }])
})

sampled('reports of real banks: all transactions rejected', async () => {
  const { orders, message_id, folders, bank, state, news } = await sent(2)
  const references = orders.map(o => o.payment_id.replaceAll('-', '').toUpperCase())
  const name = 'pain002-03-transactions-rejected-nordea.xml'
  putIncoming(folders, 'r.xml', rewritten(name, message_id, references))
  await exchangeAll(bank)
  expect(await state()).toBe('REJECTED')
  expect(news.map(one => one.reason_code)).toEqual(['NARR', 'NARR'])
})
