/** GET /loans: filters and orders compared with the full list, and stable pages. */
import type { Answer } from '@headroom/contract'
import type { Input } from '@headroom/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import { appOn } from '../../support/calendar.ts'
import { type Loan, lend, payIn, referenceOf, repayOn } from '../../support/money.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { type ReadyBorrower, readyBorrower } from '../../support/story.ts'
import { DAY, requestOf } from './request.ts'

let app: TestApp
let first: ReadyBorrower
let second: ReadyBorrower
/** Newest first, the default order. */
let all: Loan[]

beforeAll(async () => {
  app = await appOn(DAY)
  first = await readyBorrower(app, 'SCT')
  second = await readyBorrower(app)
  const send = async (who: ReadyBorrower, other: Partial<Input<'createLoan'>>) =>
    app.client.createLoan(requestOf(who, { amount: 1_000, ...other }))
  await lend(app, first, { amount: 10_000, days: 5 })
  await send(second, { auto_validate: false, to_repay_at: '2027-02-20' })
  const closed = await lend(app, first, { amount: 20_000, days: 10 })
  await payIn(app, { to: closed, amount: 20_000 })
  await send(second, { amount: 9_000_000 })
  const postponed = await lend(app, second, { amount: 30_000, days: 20 })
  await repayOn(app, postponed.id, 'contractual_repayment_on + 5')
  await send(first, { to_pay_at: '2027-01-20', to_repay_at: '2027-02-20', salt_id: '100%_sure' })
  const { id } = await send(second, { to_pay_at: '2027-01-22', to_repay_at: '2027-01-30' })
  await app.client.cancelLoan({ loan_id: id })
  await app.drain()
  all = (await app.client.listLoans({})).data
  expect(all).toHaveLength(7)
})

type Query = Input<'listLoans'>
type ListAnswer = Answer<'listLoans'>

const ids = (loans: readonly { id: string }[]) => loans.map(loan => loan.id)

async function listed(query: Query): Promise<string[]> {
  return ids((await app.client.listLoans(query)).data)
}

const day = (loan: Loan, field: 'to_pay_at' | 'to_repay_at') => loan[field].slice(0, 10)

describe('filters', () => {
  const cases: [string, () => Query, (loan: Loan) => boolean][] = [
    ['one id', () => ({ id: [all[2]!.id] }), loan => loan.id === all[2]!.id],
    [
      'two ids',
      () => ({ id: [all[1]!.id, all[5]!.id] }),
      l => [all[1]!.id, all[5]!.id].includes(l.id),
    ],
    ['a company number', () => ({ borrower: [first.identifier] }), l => l.borrower.id === first.id],
    ["a borrower's id", () => ({ borrower: [second.id] }), l => l.borrower.id === second.id],
    ['two borrowers', () => ({ borrower: [first.id, second.identifier] }), () => true],
    ['a type', () => ({ loan_type: ['WALLET_FINANCING'] }), () => true],
    ['another type', () => ({ loan_type: ['INVOICE_BASED_FINANCING'] }), () => false],
    ['a status', () => ({ status: ['TO_REPAY'] }), l => l.status === 'TO_REPAY'],
    [
      'three statuses',
      () => ({ status: ['CLOSED', 'DECLINED', 'SCHEDULED'] }),
      l => ['CLOSED', 'DECLINED', 'SCHEDULED'].includes(l.status),
    ],
    [
      'paid out from',
      () => ({ to_pay_at_from: '2027-01-20' }),
      l => day(l, 'to_pay_at') >= '2027-01-20',
    ],
    [
      'paid out before',
      () => ({ to_pay_at_to: '2027-01-20' }),
      l => day(l, 'to_pay_at') < '2027-01-20',
    ],
    [
      'repaid from a moment',
      () => ({ to_repay_at_from: '2027-01-29T23:30:00Z' }),
      l => day(l, 'to_repay_at') >= '2027-01-30',
    ],
    [
      'repaid before',
      () => ({ to_repay_at_to: '2027-01-30' }),
      l => day(l, 'to_repay_at') < '2027-01-30',
    ],
    [
      'agreed first from',
      () => ({ contractual_repayment_date_from: '2027-02-05' }),
      l => l.contractual_repayment_date! >= '2027-02-05',
    ],
    [
      'agreed first before',
      () => ({ contractual_repayment_date_to: '2027-02-05' }),
      l => l.contractual_repayment_date! < '2027-02-05',
    ],
    [
      'due within ten days',
      () => ({ to_repay_at_within_days: 10 }),
      l => day(l, 'to_repay_at') <= '2027-01-25',
    ],
    ['postponed', () => ({ postponed: true }), l => l.to_repay_at > l.contractual_repayment_date!],
    [
      'not postponed',
      () => ({ postponed: false }),
      l => l.to_repay_at === l.contractual_repayment_date,
    ],
    ['a guarantee called', () => ({ guarantee_called: true }), () => false],
    ['a guarantor', () => ({ guarantor: first.identifier }), () => false],
    [
      "words of the borrower's name",
      () => ({ query: first.name!.toUpperCase().slice(0, 8) }),
      l => l.borrower.name!.toUpperCase().includes(first.name!.toUpperCase().slice(0, 8)),
    ],
    [
      'a part of a salt_id, signs taken as they are',
      () => ({ query: '0%_s' }),
      l => l.salt_id === '100%_sure',
    ],
    ['a reference', () => ({ query: referenceOf(all[3]!) }), l => l.id === all[3]!.id],
    [
      'several at once',
      () => ({ borrower: [first.id], status: ['TO_REPAY', 'CLOSED'], to_pay_at_to: '2027-01-16' }),
      l => l.borrower.id === first.id && ['TO_REPAY', 'CLOSED'].includes(l.status),
    ],
  ]

  test.each(cases)('%s', async (_, query, fits) => {
    const expected = all.filter(fits)
    expect(await listed(query())).toEqual(ids(expected))
    expect((await app.client.listLoans({ ...query(), page_size: 1 })).total).toBe(expected.length)
  })

  test('repeated names may have brackets, on the next page too', async () => {
    const read = async (address: string) => {
      const headers = { authorization: `Bearer ${app.key}` }
      return (await (await fetch(app.base_url + address, { headers })).json()) as ListAnswer
    }
    const query = 'status[]=TO_REPAY&status%5B%5D=CLOSED&postponed=False&page_size=1'
    const one = await read(`/loans?${query}`)
    const two = await read(one.next_page!)
    const fits = ids(
      await app.client
        .listLoans({ status: ['TO_REPAY', 'CLOSED'], postponed: false })
        .then(page => page.data),
    )
    expect(fits).toHaveLength(2)
    expect(ids([...one.data, ...two.data])).toEqual(fits)
  })

  test('an unknown parameter is a 422 that names it', async () => {
    const wrong = { colour: 'red', status: ['OPEN'], page_size: 501 } as unknown as Query
    const faults = await faultsOf(app.client.listLoans(wrong))
    expect(Object.keys(faults).sort()).toEqual(['colour', 'page_size', 'status.0'])
  })
})

describe('orders', () => {
  test.each([
    ['created_at:asc', (l: Loan) => l.id],
    ['to_pay_at:asc', (l: Loan) => l.to_pay_at + l.id],
    ['to_repay_at:asc', (l: Loan) => l.to_repay_at + l.id],
  ] as const)('%s, and the reverse', async (sort_by, key) => {
    const sorted = ids(all.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)))
    expect(await listed({ sort_by })).toEqual(sorted)
    const down = sort_by.replace('asc', 'desc') as 'created_at:desc'
    expect(await listed({ sort_by: down })).toEqual(sorted.toReversed())
    // Pages of two have the same order.
    const paged: string[] = []
    for await (const loan of app.client.each('listLoans', { sort_by, page_size: 2 })) {
      paged.push(loan.id)
    }
    expect(paged).toEqual(sorted)
  })
})

describe('pages', () => {
  type Page = Answer<'listLoans'>

  /** Follows a page link from a response verbatim. */
  async function follow(address: string | null): Promise<Page> {
    expect(address).toMatch(/^\/loans\?/)
    const response = await fetch(`${app.base_url}${address}`, {
      headers: { authorization: `Bearer ${app.key}` },
    })
    expect(response.status).toBe(200)
    return (await response.json()) as Page
  }

  test('stay in place while loans are created, forward and back', async () => {
    const start = await app.client.listLoans({ page_size: 3, to_pay_at_to: '2027-03-01' })
    expect(start).toMatchObject({ count: 3, page_size: 3, total: 7, previous_page: null })
    expect(ids(start.data)).toEqual(ids(all.slice(0, 3)))
    const newest = await app.client.createLoan(requestOf(first, { amount: 500 }))
    const middle = await follow(start.next_page)
    expect(ids(middle.data)).toEqual(ids(all.slice(3, 6)))
    expect(middle.total).toBe(8)
    const last = await follow(middle.next_page)
    expect(last).toMatchObject({ count: 1, next_page: null })
    expect(ids(last.data)).toEqual(ids(all.slice(6)))
    const back = await follow(last.previous_page)
    expect(ids(back.data)).toEqual(ids(middle.data))
    const top = await follow(back.previous_page)
    expect(ids(top.data)).toEqual(ids(start.data))
    // The new loan is on a page before the first.
    const before = await follow(top.previous_page)
    expect(ids(before.data)).toEqual([newest.id])
    expect(before.previous_page).toBeNull()
    expect(ids((await follow(before.next_page)).data)).toEqual(ids(start.data))
  })

  test('an empty page has no neighbors', async () => {
    expect(await app.client.listLoans({ status: ['DELETED'] })).toEqual({
      data: [],
      count: 0,
      page_size: 100,
      next_page: null,
      previous_page: null,
      total: 0,
    })
  })

  test.each(['', 'x', 'bm9wZQ', Buffer.from('[0,"not a uuid"]').toString('base64url')])(
    'an invalid cursor: "%s"',
    async cursor => {
      const faults = await faultsOf(app.client.listLoans({ cursor }))
      expect(Object.keys(faults)).toEqual(['cursor'])
    },
  )
})

test('a cursor only works for its own list, whatever the filters', async () => {
  const { client } = app
  const cursor = cursorIn((await client.listLoans({ page_size: 1 })).next_page)
  const [loan, other] = all
  const own = await client.listLoanEvents({ loan_id: loan!.id, page_size: 1 })
  const ofLoan = cursorIn(own.next_page)
  const elsewhere = [
    () => client.listPayments({ cursor }),
    () => client.listBills({ cursor }),
    () => client.listEvents({ cursor }),
    () => client.listLoanEvents({ loan_id: loan!.id, cursor }),
    () => client.listLoanEvents({ loan_id: other!.id, cursor: ofLoan }),
  ]
  for (const read of elsewhere) expect(Object.keys(await faultsOf(read()))).toEqual(['cursor'])
  const filtered = await client.listLoans({ page_size: 500, status: ['TO_REPAY'], cursor })
  expect(filtered.data.every(one => one.status === 'TO_REPAY')).toBe(true)
})

const cursorIn = (address: string | null) =>
  new URL(address!, app.base_url).searchParams.get('cursor')!

describe('another partner', () => {
  test('sees none of them, by any query', async () => {
    const { second: stranger } = app
    expect((await stranger.listLoans({})).data).toEqual([])
    expect((await stranger.listLoans({ id: ids(all) })).total).toBe(0)
    expect((await stranger.listLoans({ borrower: [first.identifier] })).data).toEqual([])
    expect((await stranger.listPayments({ loan_id: ids(all) })).data).toEqual([])
    expect((await stranger.listEvents({ loan_id: ids(all) })).data).toEqual([])
    expect((await stranger.listBills({ business_id: [first.id] })).data).toEqual([])
    expect((await stranger.listSandboxBankInstructions({})).data).toEqual([])
    const { next_page } = await app.client.listLoans({ page_size: 1 })
    const cursor = new URL(next_page!, app.base_url).searchParams.get('cursor')!
    expect((await stranger.listLoans({ cursor })).data).toEqual([])
  })

  test('gets 404 for each', async () => {
    const { second: stranger } = app
    const loan_id = all.find(loan => loan.status === 'TO_REPAY')!.id
    const before = await app.client.getLoan({ loan_id })
    const calls = [
      () => stranger.getLoan({ loan_id }),
      () => stranger.listLoanEvents({ loan_id }),
      () => stranger.getLoanPayoff({ loan_id }),
      () => stranger.validateLoan({ loan_id }),
      () => stranger.cancelLoan({ loan_id }),
    ]
    for (const call of calls) {
      expect(await refusal(call())).toMatchObject({ status: 404, code: 'resource_unknown' })
    }
    expect((await app.client.getLoan({ loan_id })).status).toBe(before.status)
  })
})
