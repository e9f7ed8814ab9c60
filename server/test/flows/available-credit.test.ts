/** Available credit is exactly what borrowers can draw now, each and in total. */
import { beforeAll, expect, test } from 'vitest'
import { blockBorrowerManually, prohibitBorrower } from '../../src/companies/borrowers/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { activeCard, spend } from '../support/cards.ts'
import { type Answer, createOperatorSession, type Person, signIn } from '../support/console.ts'
import { lend, lineOf, runSql } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { asSecondPartner } from '../support/partner-terms.ts'
import {
  plusDays,
  type ReadyBorrower,
  readyBorrower,
  requestLoan,
  today,
} from '../support/story.ts'

interface Drawing {
  readonly app: TestApp
  readonly borrower: ReadyBorrower
  /** The expected denial code; null if the borrower can draw. */
  readonly refused_as: string | null
}

let app: TestApp
let other: TestApp
let lender: Person
const drawings = new Map<string, Drawing>()

/** Creates a borrower, and brings it into the named situation with `act`. */
async function made(
  name: string,
  refused_as: string | null,
  act: (borrower: ReadyBorrower) => Promise<unknown> = async () => {},
  of = app,
) {
  const borrower = await readyBorrower(of, 'SCT')
  await act(borrower)
  drawings.set(name, { app: of, borrower, refused_as })
}

const kyb = (status: 'REVIEWING' | 'REJECTED') => (borrower: ReadyBorrower) =>
  app.client.setSandboxKyb({ borrower_id: borrower.id, status })

beforeAll(async () => {
  app = await testApp()
  other = asSecondPartner(app)
  const by = await createOperatorId(app)
  await createOperatorSession(app, { email: 'lea@lender.example', role: 'reviewer' })
  lender = await signIn(app, 'lea@lender.example')
  await made('ready', null)
  await made('has drawn', null, one => lend(app, one, { amount: 1_234_567, days: 40 }))
  await made('has reserved', null, one =>
    requestLoan(app, one, { amount: 765_432, pay_in: 20, days: 20 }),
  )
  await made('has spent by card', null, async one => spend(app, await activeCard(app, one), 54_321))
  await made('late, within its grace', null, one => lend(app, one, { amount: 10_000, days: 9 }))
  await made('late', 'LATE_REPAYMENT_BORROWER', one => lend(app, one, { amount: 20_000, days: 2 }))
  await made('under review', 'KYB_REVIEW', kyb('REVIEWING'))
  await made('rejected', 'BUSINESS_COMPLIANCE_ISSUE_DETECTED', async one => {
    await kyb('REVIEWING')(one)
    await kyb('REJECTED')(one)
  })
  await made('blocked', 'BORROWER_STATUS', one =>
    asOperator(app, tx => blockBorrowerManually(tx.as(by), one.id, 'PROACTIVE_RECOLLECTION')),
  )
  await made('prohibited', 'BORROWER_STATUS', one =>
    asOperator(app, tx => prohibitBorrower(tx.as(by), one.id, 'BUSINESS_AML_EXTREME_RISK')),
  )
  await made('deactivated', 'BORROWER_STATUS', one =>
    app.client.deactivateBorrower({ borrower_id: one.id }),
  )
  await made('expired', 'OUTDATED_DATA')
  await made('overdrawn by a smaller pool', null, async one => {
    await lend(app, one, { amount: 500_000, days: 40 })
    const { id: credit_line_id } = await lineOf(app, one)
    await lender.admin('setLimit', { body: { credit_line_id, pool_amount: 1, reason: 'Less.' } })
  })
  await made('of the other partner', null, undefined, other)
  await app.client.advanceSandboxClock({ days: 12 })
  await runSql(
    app,
    'update credit_lines set ends_on = $2::date, starts_on = $2::date where borrower_id = $1',
    [drawings.get('expired')!.borrower.id, plusDays(await today(app), -1)],
  )
})

async function creditOf({ borrower }: Drawing) {
  return lender.admin('getAvailableCredit', { params: { borrower_id: borrower.id } })
}

async function preview({ app: of, borrower }: Drawing, amount: number) {
  const to_pay_at = await today(of)
  return of.client.previewLoan({
    loan_type: 'WALLET_FINANCING',
    amount,
    to_pay_at,
    auto_validate: true,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_repay_at: plusDays(to_pay_at, 30),
    salt_id: crypto.randomUUID(),
  })
}

async function totals() {
  const read = (query?: { partner_id: string }) => lender.admin('getStanding', { query })
  const partners = [app, other].map(({ partner_id }) => partner_id)
  const own = await Promise.all(partners.map(partner_id => read({ partner_id })))
  return { all: (await read()).available, own: own.map(({ available }) => available) }
}

async function sumOf(of: TestApp): Promise<number> {
  const own = [...drawings.values()].filter(one => one.app === of)
  const found = await Promise.all(own.map(creditOf))
  return found.reduce((sum, { amount }) => sum + amount, 0)
}

test('each borrower can draw its available credit, and not one cent more', async () => {
  for (const [name, drawing] of drawings) {
    const { amount, refused_as } = await creditOf(drawing)
    expect(refused_as, name).toBe(drawing.refused_as)
    if (amount > 0) expect((await preview(drawing, amount)).decision, name).toBe('APPROVED')
    const more = await preview(drawing, amount + 1)
    const code = refused_as ?? 'AMOUNT_SUPERIOR_TO_AVAILABLE_BALANCE'
    if (code === 'KYB_REVIEW') expect(more.decision, name).toBe('WAITING')
    else expect(more, name).toMatchObject({ decision: 'DECLINED', denial_reason: code })
  }
})

test('an unused line that cannot be drawn has no available credit', async () => {
  for (const name of ['late', 'under review', 'rejected', 'blocked', 'expired']) {
    const { borrower } = drawings.get(name)!
    expect((await lineOf(app, borrower)).balance_available, name).toBeGreaterThan(0)
    expect((await creditOf(drawings.get(name)!)).amount, name).toBe(0)
  }
})

test('the totals are the sums of what borrowers can draw', async () => {
  const sums = [await sumOf(app), await sumOf(other)]
  expect(sums.every(sum => sum > 0)).toBe(true)
  expect(await totals()).toEqual({ all: sums[0]! + sums[1]!, own: sums })
})

test('the daily snapshot has the same figure', async () => {
  await app.client.advanceSandboxClock({ days: 1 })
  const { days } = await lender.admin('getPortfolio')
  // Nothing changed overnight, so the snapshot equals the current total.
  expect(days.at(-1)!.available).toBe((await totals()).all)
})

/** Runs `look` while the partner's ceiling leaves only `left` cents, then restores the ceiling. */
async function withCeilingLeft(left: number, look: () => Promise<void>): Promise<void> {
  const read = `select exposure_max from partners where id = $1`
  const { rows } = await transaction(
    app.context.database,
    { partners: '*', actor: 'service' },
    tx => tx.raw(read, [app.partner_id]),
  )
  const set = (to: string) =>
    runSql(app, `update partners set exposure_max = ${to} where id = $1`, [app.partner_id])
  await set(`exposure + ${left}`)
  await look()
  await set(String(rows[0].exposure_max))
}

test("the partner's ceiling limits each borrower, and all of them together", async () => {
  const drawing = drawings.get('ready')!
  await withCeilingLeft(100_000, async () => {
    expect(await creditOf(drawing)).toMatchObject({ amount: 100_000, refused_as: null })
    expect((await preview(drawing, 100_000)).decision).toBe('APPROVED')
    const more = await preview(drawing, 100_001)
    expect(more.denial_reason).toBe('EXCEEDED_PARTNER_CREDIT_LINE')
    expect((await totals()).own[0]).toBe(100_000)
  })
  await withCeilingLeft(0, async () => {
    const refused_as = 'EXCEEDED_PARTNER_CREDIT_LINE'
    expect(await creditOf(drawing)).toMatchObject({ amount: 0, refused_as })
    expect((await totals()).own[0]).toBe(0)
  })
})

test('a partner stopped by a kill switch has no available credit', async () => {
  const { partner_id } = other
  const body = { kind: 'partner', partner_id, reason: 'Looked into.' }
  const thrown: Answer = await lender.call('POST', '/admin/switches/throw', { body })
  expect(thrown.status, JSON.stringify(thrown.body)).toBeLessThan(300)
  const drawing = drawings.get('of the other partner')!
  const refused_as = 'LINKED_BUSINESS_IS_BLOCKED'
  expect(await creditOf(drawing)).toMatchObject({ amount: 0, refused_as })
  expect((await preview(drawing, 1)).denial_reason).toBe(refused_as)
  expect((await totals()).own[1]).toBe(0)
})

test('partner users see the available credit of their own borrowers only', async () => {
  await createOperatorSession(app, { email: 'hana@partner.example', partner_id: app.partner_id })
  const hana = await signIn(app, 'hana@partner.example')
  const read = (name: string) =>
    hana.call('GET', `/admin/borrower/${drawings.get(name)!.borrower.id}/available-credit`)
  expect(await read('blocked')).toMatchObject({
    status: 200,
    body: { amount: 0, refused_as: 'BORROWER_STATUS' },
  })
  expect(await read('of the other partner')).toMatchObject({
    status: 404,
    body: { code: 'resource_unknown' },
  })
})

test('the books are verified at the end', async () => {
  expect((await app.verify()).findings).toEqual([])
})
