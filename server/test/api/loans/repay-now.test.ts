/**
 * POST /repay/now: a link to a page with transfer instructions, and a transfer that follows them.
 */
import { expect } from 'vitest'
import { epcText } from '../../../src/credit/repayments/repay-page.ts'
import { calendar } from '../../support/calendar.ts'
import { lend, loanOf, payIn } from '../../support/money.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { readyBorrower } from '../../support/story.ts'

const story = calendar('2027-01-15')

const callback = 'https://shop.example/back?a=1&b="2"'

story('the amount pays the oldest loans', async ({ app, until }) => {
  const nothing = app.client.repayNow({ amount: 1, base_callback_url: callback })
  expect(await refusal(nothing)).toMatchObject({ status: 409, code: 'state_conflict' })
  const borrower = await readyBorrower(app, 'SCT')
  const other = await readyBorrower(app, 'SCT')
  const second = await lend(app, borrower, { amount: 30_000, days: 30 })
  const first = await lend(app, other, { amount: 20_000, days: 20 })
  await until('2027-01-25')
  expect(
    await faultsOf(app.client.repayNow({ amount: 50_251, base_callback_url: callback })),
  ).toEqual({ amount: 'is more than is owed, 50250' })
  const { url } = await app.client.repayNow({ amount: 25_000, base_callback_url: callback })
  const page = await fetch(url)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none';.* style-src 'sha256-[^']+'$/,
  )
  const html = await page.text()
  const [reference] = (await loanOf(app, first.id)).repayment_to_references.slice(1)
  for (const part of ['€250.00', reference!, '<svg', 'a=1&amp;b=&quot;2&quot;']) {
    expect(html).toContain(part)
  }
  expect(html.replace(/href="[^"]*"/, '').match(/(src|href)=|<script|@import/g)).toBeNull()
  await payIn(app, { to: first, amount: 25_000, reference: reference! })
  expect(await loanOf(app, first.id)).toMatchObject({ status: 'CLOSED', repaid_amount: 20_100 })
  expect(await loanOf(app, second.id)).toMatchObject({ repaid_nominal_amount: 4_900 })
  const after = await (await fetch(url)).text()
  expect(after).toContain('We have received €250.00')
  expect(after).not.toContain('<svg')
  const forged = await fetch(url.replace(/signature=.{4}/, 'signature=AAAA'))
  expect(forged.status).toBe(403)
  const late = await fetch(url.replace(/expires=\d+/, 'expires=1'))
  expect(late.status).toBe(403)
})

story('the return link is a web address', async ({ app }) => {
  for (const base_callback_url of ['javascript:alert(1)', 'data:text/html,x', 'nowhere']) {
    const requested = app.client.repayNow({ amount: 1, base_callback_url })
    expect(Object.keys(await faultsOf(requested))).toEqual(['base_callback_url'])
  }
})

story('the QR code for banking apps', async () => {
  const text = epcText({
    payee: 'Headroom',
    iban: 'FR7630006000011234567890189',
    bic: 'AGRIFRPP',
    reference: 'RF18539007547034',
    amount: 123_456n,
  })
  expect(text.split('\n')).toEqual([
    'BCD',
    '002',
    '1',
    'SCT',
    'AGRIFRPP',
    'Headroom',
    'FR7630006000011234567890189',
    'EUR1234.56',
    '',
    'RF18539007547034',
  ])
})
