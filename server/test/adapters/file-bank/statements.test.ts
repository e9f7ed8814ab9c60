/** Statements become news once, whole or not at all, and only what is booked moves money. */
import { expect, test } from 'vitest'
import type { PaymentOrder } from '../../../src/integrations/ports/bank.ts'
import { withLender } from '../../../src/platform/db/settings.ts'
import { entriesOf, sent, statementsOf, told } from './sent-orders.ts'
import {
  statementFile,
  type TestDetail,
  type TestEntry,
  type TestStatement,
} from './statement-files.ts'
import { alertsOf, debitOf, exchangeAll, orderOf, putIncoming, reportOf } from './support.ts'

test('a payout that leaves settles; the same money coming back returns it', async () => {
  const order = orderOf()
  const { payment_id, amount } = order
  const at = await sent(order)
  await at.books({ amount: -amount, details: [{ amount, payment_id }] })
  expect(told(at)).toEqual([{ kind: 'SETTLED', payment_id, amount }])
  expect(at.news[0]).toMatchObject({ value_on: '2027-01-11', reason_code: null })
  await at.books({ amount, details: [{ amount, payment_id, returned_for: 'AC04' }] })
  expect(at.news[1]).toMatchObject({ kind: 'RETURNED', payment_id, amount, reason_code: 'AC04' })
  expect(await alertsOf(at.database)).toEqual([])
})

test.each([
  ['RtrInf', { details: [{ returned_for: 'AM04' }] }, 'RETURNED', 'AM04'],
  ['the text of the transaction', { details: [{ bank_text: 'R-MSG AC06' }] }, 'RETURNED', 'AC06'],
  ['the text of the entry', { details: [{}], text: 'unpaid MD07' }, 'RETURNED', 'MD07'],
  ['a refund', { details: [{ returned_for: 'MD06' }] }, 'REFUNDED', 'MD06'],
  ['no reason', { details: [{}], is_reversal: true }, 'REVERSED', null],
])('a debit comes back with the reason from %s', async (_, entry, kind, reason_code) => {
  const order = debitOf()
  const { payment_id, amount } = order
  const at = await sent(order)
  await at.books(collected(order))
  const details = entry.details.map((detail: TestDetail) => ({ ...detail, amount, payment_id }))
  await at.books({ ...entry, amount: -amount, details })
  expect(at.news).toHaveLength(2)
  expect(at.news[1]).toMatchObject({ kind, payment_id, amount, reason_code })
})

test('a reversal indicator turns no sign', async () => {
  const order = orderOf()
  const { payment_id, amount } = order
  const at = await sent(order)
  await at.books({ amount: -amount, is_reversal: true, details: [{ amount, payment_id }] })
  await at.books({ amount, is_reversal: true, details: [{ amount, payment_id }] })
  expect(at.news.map(one => one.kind)).toEqual(['SETTLED', 'REVERSED'])
})

const collected = ({ payment_id, amount }: PaymentOrder): TestEntry => ({
  amount,
  family: 'IDDT',
  details: [{ amount, payment_id }],
})

test.each([
  ['in the entry', 300n, (amount: bigint) => ({ charge: 300n, details: [{ amount }] })],
  ['in the only amount', 300n, () => ({ charge: 300n, details: [{}] })],
])('a fee on a return is kept apart: %s', async (_, fee, entryOf) => {
  const order = debitOf()
  const { payment_id, amount } = order
  const at = await sent(order)
  const entry = entryOf(amount)
  const details = entry.details.map(detail => ({ ...detail, payment_id, returned_for: 'AM04' }))
  await at.books(collected(order))
  await at.books({ ...entry, amount: -(amount + fee), details })
  expect(told(at).slice(1)).toEqual([
    { kind: 'RETURNED', payment_id, amount },
    { kind: 'CHARGE', payment_id: null, amount: fee },
  ])
})

test('a fee among the details of an entry is kept apart', async () => {
  const order = debitOf()
  const { payment_id, amount } = order
  const at = await sent(order)
  const returned = { amount, payment_id, returned_for: 'AM04' }
  const details = [returned, { amount: 300n, subfamily: 'CHRG' }]
  await at.books(collected(order))
  await at.books({ amount: -(amount + 300n), details })
  expect(told(at).slice(1)).toEqual([
    { kind: 'RETURNED', payment_id, amount },
    { kind: 'CHARGE', payment_id: null, amount: 300n },
  ])
})

test('a difference that no charge explains is the amount that moved', async () => {
  const order = debitOf()
  const { payment_id, amount } = order
  const at = await sent(order)
  await at.books(collected(order))
  await at.books({ amount: -(amount + 300n), details: [{ payment_id, returned_for: 'AM04' }] })
  expect(told(at).slice(1)).toEqual([{ kind: 'RETURNED', payment_id, amount: amount + 300n }])
})

test.each([
  ['no details', () => []],
  ['one of three details', (orders: PaymentOrder[]) => orders.slice(0, 1).map(detailOf)],
  ['all details', (orders: PaymentOrder[]) => orders.map(detailOf)],
  ['details without ids', (orders: PaymentOrder[]) => orders.map(({ amount }) => ({ amount }))],
  ['more details than money', (orders: PaymentOrder[]) => [...orders, ...orders].map(detailOf)],
])('one entry for a whole file settles each of its orders once: %s', async (_, detailsOf) => {
  const orders = [1n, 2n, 3n].map(n => debitOf({ amount: n * 10_000n }))
  const at = await sent(...orders)
  await at.books({ amount: 60_000n, batch: at.message_id, details: detailsOf(orders) })
  expect(told(at).toSorted((a, b) => Number(a.amount - b.amount))).toEqual(
    orders.map(({ payment_id, amount }) => ({ kind: 'SETTLED', payment_id, amount })),
  )
  expect(new Set(at.news.map(one => one.bank_reference)).size).toBe(3)
})

const detailOf = ({ payment_id, amount }: PaymentOrder): TestDetail => ({ payment_id, amount })

test('of a file rejected in part, an entry for the rest settles the rest', async () => {
  const orders = [1n, 2n, 3n].map(n => debitOf({ amount: n * 10_000n }))
  const at = await sent(...orders)
  const transactions = [{ order: orders[0]!, code: 'RJCT', reason: 'AC04' }]
  await at.sends(reportOf({ message_id: at.message_id, transactions }))
  await at.books({ amount: 50_000n, batch: at.message_id })
  expect(at.news.map(one => one.kind)).toEqual(['REJECTED', 'SETTLED', 'SETTLED'])
})

test('an entry for a file whose sum differs settles nothing: it is unmatched', async () => {
  const orders = [debitOf(), debitOf()]
  const at = await sent(...orders)
  const amount = orders[0]!.amount * 2n - 1n
  const text = 'RF18539007547034'
  await at.books({ amount, batch: at.message_id, details: [{ text, ...detailOf(orders[0]!) }] })
  expect(at.news).toMatchObject([{ kind: 'OTHER', payment_id: null, amount, direction: 'IN' }])
  expect(at.news[0]!.raw.remark).toContain('add up to')
})

test('a payout file whose sum differs settles none of its orders', async () => {
  const at = await sent(orderOf(), orderOf())
  await at.books({ amount: -24_691n, batch: at.message_id })
  expect(at.news).toMatchObject([{ kind: 'OTHER', direction: 'OUT', amount: 24_691n }])
})

test('an entry with many details settles each; memory holds a slice of them', async () => {
  const orders = Array.from({ length: 1_200 }, (_, n) => debitOf({ amount: BigInt(n + 1) }))
  const at = await sent(...orders)
  const amount = orders.reduce((sum, order) => sum + order.amount, 0n)
  // Without the file's id, only the details tell.
  await at.books({ amount, family: 'IDDT', details: orders.map(detailOf) })
  expect(at.news).toHaveLength(1_200)
  expect(new Set(at.news.map(one => one.payment_id)).size).toBe(1_200)
})

test('a transfer names its account, its payer, and structured references first', async () => {
  const at = await sent()
  const virtual = at.bank.ownAccount(7)
  const debtor = { name: 'A payer', iban: 'FR7630006000011234567890189' }
  const named = { debtor, reference: 'RF18539007547034', text: 'Invoice 12', amount: 5_000n }
  await at.books(
    { amount: 5_000n, details: [{ ...named, creditor_iban: virtual }] },
    { amount: 700n, text: 'no details at all' },
  )
  expect(at.news).toMatchObject([
    {
      kind: 'TRANSFER_IN',
      amount: 5_000n,
      raw: {
        to_iban: virtual,
        from_iban: debtor.iban,
        from_name: 'A payer',
        reference: 'RF18539007547034 Invoice 12',
      },
    },
    { amount: 700n, raw: { to_iban: at.collection, reference: 'no details at all' } },
  ])
})

test('an account in the details that is not ours is not the one credited', async () => {
  const at = await sent()
  const bank = at.bankWith({ isOurIban: async () => false })
  const creditor_iban = 'FR7630006000011234567890189'
  const entries = [{ amount: 5_000n, details: [{ creditor_iban }] }]
  putIncoming(at.folders, 'other.xml', statementFile({ id: 'S', account: at.collection, entries }))
  await exchangeAll(bank)
  expect(at.news).toMatchObject([{ kind: 'TRANSFER_IN', raw: { to_iban: at.collection } }])
})

test('a return of what we did not send is matched with no debt by its text', async () => {
  const at = await sent()
  const detail = { text: 'RF18539007547034', returned_for: 'AC04', amount: 5_000n }
  await at.books({ amount: 5_000n, details: [detail] })
  expect(at.news).toMatchObject([{ kind: 'OTHER', payment_id: null, amount: 5_000n }])
})

test('charges, interest, transfers between own accounts and others have kinds', async () => {
  const at = await sent()
  await at.books(
    { amount: -500n, subfamily: 'CHRG' },
    { amount: -20n, subfamily: 'INTR' },
    { amount: 30n, subfamily: 'INTR' },
    { amount: -9_000n, details: [{ creditor_iban: at.funding }] },
    { amount: -77n, text: 'who knows' },
    { amount: 0n },
  )
  expect(at.news.map(one => [one.kind, one.direction, one.amount])).toEqual([
    ['CHARGE', 'OUT', 500n],
    ['BANK_INTEREST', 'OUT', 20n],
    ['BANK_INTEREST', 'IN', 30n],
    ['TRANSFER_OWN', 'OUT', 9_000n],
    ['OTHER', 'OUT', 77n],
  ])
  expect(await alertsOf(at.database)).toEqual([])
})

test('a transfer from the lender’s account at another bank is capital', async () => {
  const at = await sent()
  const [iban] = at.database.settings.lender.capital_ibans
  const details = [{ debtor: { name: 'The lender', iban: iban! } }]
  const capital = { amount: 5_000n, details }
  await at.sends(statementFile({ id: 'F', account: at.funding, entries: [capital] }))
  expect(at.news).toMatchObject([
    { kind: 'TRANSFER_IN', raw: { to_iban: at.funding, from_iban: iban } },
  ])
})

test('only booked entries move money', async () => {
  const at = await sent()
  await at.books({ amount: 5_000n, status: 'PDNG' }, { amount: 6_000n, status: 'INFO' })
  expect(at.news).toEqual([])
  expect(await entriesOf(at.database)).toHaveLength(2)
})

const transfer = (amount: bigint): TestEntry => ({ amount, details: [{ text: 'x', amount }] })

test('the same statement in other bytes, or twice in one file, is booked once', async () => {
  const at = await sent()
  const statement: TestStatement = { id: 'S', account: at.collection, entries: [transfer(1n)] }
  await at.sends(statementFile(statement, statement))
  await at.sends(`${statementFile(statement)}<!-- again -->`)
  const pending = { amount: 9n, status: 'PDNG' }
  await at.sends(statementFile({ ...statement, entries: [pending, transfer(1n)] }))
  expect(at.news).toHaveLength(1)
  expect(await alertsOf(at.database)).toEqual([])
  const next = { ...statement, entries: [transfer(2n)], day: '2027-01-12' }
  await at.sends(statementFile(next))
  expect(at.news).toHaveLength(2)
})

test('a statement is handed over with its days and balances, also if it does not tie', async () => {
  const at = await sent()
  const statement = { id: 'S', account: at.collection, entries: [transfer(1n), transfer(2n)] }
  await at.sends(statementFile({ ...statement, number: 7, closing: 1_000_004n }))
  expect(at.statements).toMatchObject([
    {
      account_iban: at.collection,
      statement_id: 'S 7 2027-01-11',
      sequence: 7,
      from_on: '2027-01-11',
      to_on: '2027-01-11',
      opening: 1_000_000n,
      closing: 1_000_004n,
    },
  ])
  // The bank sends it again, corrected.
  await at.sends(statementFile({ ...statement, number: 7 }))
  expect(at.statements.map(one => one.closing)).toEqual([1_000_004n, 1_000_003n])
  expect(new Set(at.news.map(one => one.bank_reference)).size).toBe(2)
})

test('the pages of a statement are handed over together, in whatever order they come', async () => {
  const at = await sent()
  const statement = { id: 'S', account: at.collection, number: 7 }
  const page = (number: number, opening: bigint, amount: bigint) =>
    at.sends(
      statementFile({ ...statement, opening, entries: [transfer(amount)], page: [number, 3] }),
    )
  await page(3, 1_000_011n, 100n)
  await page(1, 1_000_000n, 1n)
  expect(at.statements).toEqual([])
  await page(2, 1_000_001n, 10n)
  const balances = { opening: 1_000_000n, closing: 1_000_111n, sequence: 7 }
  expect(at.statements).toMatchObject([{ ...balances, statement_id: 'S 7 2027-01-11' }])
  expect(at.news.map(one => one.amount)).toEqual([1n, 10n, 100n])
})

test('a corrected statement settles a file like the refused one', async () => {
  const orders = [debitOf({ amount: 100n }), debitOf({ amount: 250n })]
  const at = await sent(...orders)
  const ofFile = { amount: 350n, batch: at.message_id }
  const statement = { id: 'S', account: at.collection, entries: [ofFile, transfer(1n)] }
  await at.sends(statementFile({ ...statement, closing: 1n }))
  await at.sends(statementFile(statement))
  expect(at.news.map(one => one.kind)).toEqual([
    ...['SETTLED', 'SETTLED', 'TRANSFER_IN'],
    ...['SETTLED', 'SETTLED', 'TRANSFER_IN'],
  ])
  // Another statement cannot settle it again.
  await at.books(ofFile)
  expect(at.news.at(-1)!.kind).toBe('OTHER')
})

test.each([
  ['an account that is not ours', { account: 'FR7630006000011234567890189' }, /is not ours/],
  [
    'no closing balance',
    { closing: -1n, cut: /<Bal>(?:(?!<Bal>)[\s\S])*CLBD[\s\S]*?<\/Bal>/ },
    /no closing/,
  ],
  ['entries in another currency', { cut: /(?<=<Ntry><Amt Ccy=")EUR/, into: 'CHF' }, /CHF/],
])('a statement with %s is refused', async (_, change, reason) => {
  const at = await sent()
  const {
    cut,
    into = '',
    ...rest
  } = { cut: /$^/, ...change } as {
    cut: RegExp
    into?: string
    account?: string
    closing?: bigint
  }
  const statement = { id: 'S', account: at.collection, entries: [transfer(1n)], ...rest }
  await at.sends(statementFile(statement).replace(cut, into))
  expect(at.news).toEqual([])
  expect(await statementsOf(at.database)).toMatchObject([
    { refused_for: expect.stringMatching(reason), state: 'REFUSED' },
  ])
})

test('a refused file that comes again is read again', async () => {
  const at = await sent()
  const account = 'FR7630006000011234567890189'
  const refused = { id: 'R', account, entries: [transfer(1n)] }
  const booked = { id: 'B', account: at.collection, entries: [transfer(2n)] }
  const content = statementFile(refused, booked)
  await at.sends(content)
  expect(at.news.map(one => one.amount)).toEqual([2n])
  await at.sends(content)
  expect(await alertsOf(at.database)).toMatchObject([{ kind: 'bank_file_unfit' }])
  // The account becomes the lender's.
  const lender = { ...at.database.settings.lender, funding_iban: account }
  const settings = withLender(at.database.settings, lender)
  putIncoming(at.folders, 'again.xml', content)
  await exchangeAll(at.bankWith({ database: { ...at.database, settings } }))
  expect(at.news.map(one => one.amount)).toEqual([2n, 1n])
  expect(await alertsOf(at.database)).toEqual([])
})

test('a file that breaks off books nothing of its first statement', async () => {
  const at = await sent()
  const statement = { id: 'S', account: at.collection, entries: [transfer(1n)] }
  await at.sends(statementFile(statement).replace('</BkToCstmrStmt></Document>', ''))
  expect(at.news).toEqual([])
  expect(await entriesOf(at.database)).toEqual([])
  expect(await alertsOf(at.database)).toMatchObject([{ kind: 'bank_file_unfit' }])
})

test('a rejection after the statement has shown the payment changes nothing', async () => {
  const order = orderOf()
  const { payment_id, amount } = order
  const at = await sent(order)
  await at.books({ amount: -amount, details: [{ amount, payment_id }] })
  await at.sends(reportOf({ message_id: at.message_id, group: 'RJCT', reason: 'AC04' }))
  expect(at.news.map(one => one.kind)).toEqual(['SETTLED'])
  expect((await alertsOf(at.database))[0]!.detail).toContain('after a statement has shown')
})
