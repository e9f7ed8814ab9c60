/** Cursors, and paging forward and back in each order. */
import { expect, test } from 'vitest'
import { appOn } from '../../support/calendar.ts'
import { type Loan, lend, payIn } from '../../support/money.ts'
import { faultsOf } from '../../support/refusal.ts'
import { readyBorrower } from '../../support/story.ts'

interface Page {
  data: { id: string }[]
  next_page: string | null
  previous_page: string | null
}

test('a cursor belongs to one list in one order', async () => {
  const app = await appOn('2027-01-15')
  const borrower = await readyBorrower(app)
  for (const days of [3, 20]) await lend(app, borrower, { amount: 900, days })
  const sort_by = 'to_pay_at:asc' as const
  const { next_page } = await app.client.listLoans({ page_size: 1, sort_by })
  const cursor = new URL(next_page!, app.base_url).searchParams.get('cursor')!
  const next = await app.client.listLoans({ page_size: 1, sort_by, cursor })
  expect(next.data).toHaveLength(1)
  for (const other of [{ sort_by: 'to_repay_at:asc' as const }, {}]) {
    const faults = await faultsOf(app.client.listLoans({ ...other, cursor }))
    expect(faults).toEqual({ cursor: 'is not a cursor of this list' })
  }
  // A timestamp filters to the millisecond. A plain date means the start of that day in Paris.
  const at = (await app.client.getSandboxClock()).now
  const later = new Date(Date.parse(at) + 1).toISOString()
  expect((await app.client.listEvents({ from_date: later })).data).toEqual([])
  const known = (await app.client.listEvents({ to_date: later })).data
  expect(known).not.toEqual([])
  expect((await app.client.listEvents({ from_date: '2027-01-15' })).data).toEqual(known)
  expect((await app.client.listEvents({ to_date: '2027-01-15' })).data).toEqual([])
  expect((await app.client.listPayments({ updated_after: later })).data).toEqual([])
  expect((await app.client.listPayments({ updated_after: '2027-01-15' })).data).not.toEqual([])
})

test('forward and back, in every order, without gaps or repetition', async () => {
  const app = await appOn('2027-01-15')
  const borrower = await readyBorrower(app)
  const paying = await readyBorrower(app, 'SCT')
  const loans: Loan[] = []
  for (const days of [3, 20, 20]) loans.push(await lend(app, borrower, { amount: 900, days }))
  for (const days of [5, 5]) loans.push(await lend(app, paying, { amount: 900, days }))
  await payIn(app, { to: loans[3]!, amount: 900 })
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${app.key}` }
    const answer = await fetch(`${app.base_url}${path}`, { headers })
    expect(answer.status).toBe(200)
    return (await answer.json()) as Page
  }
  const walk = async (path: string) => {
    const whole = (await get(path)).data.map(row => row.id)
    const there: string[] = []
    let page = await get(`${path}${path.includes('?') ? '&' : '?'}page_size=2`)
    expect(page.previous_page).toBeNull()
    for (;;) {
      there.push(...page.data.map(row => row.id))
      if (page.next_page === null) break
      page = await get(page.next_page)
    }
    const back = page.data.map(row => row.id)
    while (page.previous_page !== null) {
      page = await get(page.previous_page)
      back.unshift(...page.data.map(row => row.id))
    }
    expect(there).toEqual(whole)
    expect(back).toEqual(whole)
    expect(whole.length).toBeGreaterThan(4)
    return whole
  }
  for (const [list, orders] of [
    ['/payments', ['amount', 'payment_method', 'scheduled_at']],
    ['/loans', ['created_at', 'to_pay_at', 'to_repay_at']],
  ] as const) {
    await walk(list)
    for (const order of orders) {
      const up = await walk(`${list}?sort_by=${order}:asc`)
      expect(await walk(`${list}?sort_by=${order}:desc`)).toEqual(up.toReversed())
    }
  }
  const { accounts } = await app.client.getBorrower({ borrower_id: borrower.id })
  const [{ id } = { id: '' }] = accounts
  const of = async (query: object) =>
    (await app.client.listPayments(query)).data.map(p => p.payment_type)
  expect(new Set(await of({ from_account_id: id }))).toEqual(new Set(['REPAYMENT_NOMINAL']))
  expect(new Set(await of({ to_account_id: id }))).toEqual(new Set(['LOAN_PAYMENT']))
  expect(await of({ to_account_id: crypto.randomUUID() })).toEqual([])
})
