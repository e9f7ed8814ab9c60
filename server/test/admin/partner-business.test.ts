/** Partner users see figures on their own business and no other partner's. */
import { PARTNER_REPORT_NAMES, REPORT_NAMES } from '@headroom/contract'
import { beforeAll, expect, test } from 'vitest'
import { readPortfolio, readStanding } from '../../src/back-office/portfolio/index.ts'
import { readDelinquency } from '../../src/credit/delinquency/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { createOperatorSession, type Person, signIn } from '../support/console.ts'
import { lend } from '../support/money.ts'
import { asSecondPartner } from '../support/partner-terms.ts'
import { readyBorrower } from '../support/story.ts'

let app: TestApp
let other: TestApp
let hana: Person
let lender: Person

beforeAll(async () => {
  app = await testApp()
  other = asSecondPartner(app)
  const { partner_id } = app
  await lend(app, await readyBorrower(app, 'SCT'), { amount: 20_000, days: 5 })
  await lend(other, await readyBorrower(other, 'SCT'), { amount: 70_000, days: 40 })
  await app.client.advanceSandboxClock({ days: 12 })
  await createOperatorSession(app, { email: 'hana@partner.example', partner_id })
  await createOperatorSession(app, { email: 'lea@lender.example' })
  hana = await signIn(app, 'hana@partner.example')
  lender = await signIn(app, 'lea@lender.example')
})

test('figures, days and aging cover their own loans', async () => {
  const { partner_id, context } = app
  const query = { partner_id }
  const now = await hana.admin('getStanding')
  expect(now).toMatchObject({ outstanding: 20_000, late: 20_000, loans_running: 1 })
  expect(await lender.admin('getStanding', { query })).toEqual(now)
  const own = await hana.admin('getPortfolio')
  expect(own.days.at(-1)).toMatchObject({ outstanding: 20_000, loans_running: 1 })
  const late = own.aging.filter(({ loans }) => loans > 0)
  expect(late).toMatchObject([{ loans: 1, principal: 20_000 }])
  expect(await lender.admin('getPortfolio', { query })).toEqual(own)
  const theirs = await lender.admin('getStanding', { query: { partner_id: other.partner_id } })
  expect(theirs).toMatchObject({ outstanding: 70_000, late: 0 })
  const all = await lender.admin('getStanding')
  expect(all).toMatchObject({ outstanding: 90_000, late: 20_000, loans_running: 2 })
  // The query filters by partner explicitly, without relying on row-level security.
  await transaction(context.database, { partners: '*', actor: 'service' }, async tx => {
    expect(await readStanding(tx, partner_id)).toEqual(now)
    expect(await readPortfolio(tx, 90, partner_id)).toEqual(own.days)
    const [bucket] = (await readDelinquency(tx, other.partner_id)).filter(({ loans }) => loans > 0n)
    expect(bucket).toBe(undefined)
  })
})

test('their reports agree with those the lender reads about them', async () => {
  const { partner_id } = app
  for (const name of PARTNER_REPORT_NAMES) {
    const read = await hana.admin('getReport', { params: { name } })
    const theirs = await lender.admin('getReport', { params: { name }, query: { partner_id } })
    expect(read, name).toEqual(theirs)
    expect(read.rows.length, name).toBeGreaterThan(0)
    for (const { with: what, reported, found } of read.reconciled) {
      expect(reported, what).toBe(found)
    }
    expect(Object.keys(read.partners), name).toEqual([partner_id])
  }
  const { rows } = await hana.admin('getReport', { params: { name: 'aging' } })
  expect(rows.reduce((sum, row) => sum + Number(row.principal), 0)).toBe(20_000)
})

test("lender reports are refused, and another partner's reports are not found", async () => {
  const books = REPORT_NAMES.filter(name => !PARTNER_REPORT_NAMES.some(one => one === name))
  for (const name of books) {
    const refused = await hana.call('GET', `/admin/report/${name}`)
    expect(refused, name).toMatchObject({ status: 403, body: { code: 'role_missing' } })
  }
  for (const path of ['/admin/portfolio', '/admin/standing', '/admin/report/aging']) {
    const hidden = await hana.call('GET', `${path}?partner_id=${other.partner_id}`)
    expect(hidden, path).toMatchObject({ status: 404, body: { code: 'resource_unknown' } })
  }
})
