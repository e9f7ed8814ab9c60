/** Reasons for declining a card payment in real time. */
import { beforeAll, expect, test } from 'vitest'
import { activateSwitch, deactivateSwitch } from '../../../src/money/payments/index.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { activeCard, authorize, spend } from '../../support/cards.ts'
import { runSql } from '../../support/money.ts'
import { asOperator, createOperatorId } from '../../support/operators.ts'

let app: TestApp
beforeAll(async () => {
  // Jobs run only in `drain`, because what they change could cause another decline reason.
  app = await testApp({ work: false })
})

const reasonOf = async (card: { id: string }, amount = 100) =>
  (await authorize(app, card, amount)).reason

test.each([
  ['borrower_blocked', `update borrowers set status = 'BLOCKED' where id = $1`],
  ['borrower_prohibited', `update borrowers set status = 'PROHIBITED' where id = $1`],
  [
    'compliance_not_approved',
    `update compliance_checks set status = 'REVIEWING' where borrower_id = $1`,
  ],
  [
    'compliance_not_approved',
    `update compliance_checks set approved_until = '2027-01-01' where borrower_id = $1`,
  ],
  [
    'compliance_not_approved',
    `update borrowers set company = company || '{"is_active": null}' where id = $1`,
  ],
  ['line_expired', `update credit_lines set ends_on = '2020-01-01' where borrower_id = $1`],
  ['line_closed', 'update credit_lines set closed_at = now() where borrower_id = $1'],
  [
    'repayment_method_missing',
    `update repayment_methods set status = 'DEACTIVATED' where borrower_id = $1`,
  ],
])('%s', async (reason, statement) => {
  const card = await activeCard(app)
  expect(await reasonOf(card)).toBeNull()
  await runSql(app, statement, [card.borrower.id])
  expect(await reasonOf(card)).toBe(reason)
})

test('deactivation is refused while a card payment is open, and cancels the card', async () => {
  const card = await activeCard(app)
  const { authorization_id } = await authorize(app, card, 100)
  const leave = () => app.client.deactivateBorrower({ borrower_id: card.borrower.id })
  await expect(leave()).rejects.toMatchObject({ code: 'money_owed' })
  await app.client.reverseSandboxAuthorization({ authorization_id })
  await leave()
  expect(await reasonOf(card)).toBe('borrower_deactivated')
  await app.drain()
  expect((await app.client.getCard({ card_id: card.id })).status).toBe('canceled')
  // A merchant that captures anyway must still be paid.
  const forced = await app.client.forcePostSandboxCard({ card_id: card.id, amount: 300 })
  expect(forced).toMatchObject({ status: 'completed', amount: 300 })
  // Statuses set directly in the database have no history.
  const { findings } = await app.verify()
  expect(findings.filter(({ check }) => check !== 'history')).toEqual([])
})

test("the partner's ceiling and its kill switch", async () => {
  const card = await activeCard(app)
  await spend(app, card, 1_000)
  const all = 'where id = $1'
  const before = await exposureMax()
  const full = `update partners set exposure_max = exposure + 500 ${all}`
  await runSql(app, full, [app.partner_id])
  expect(await reasonOf(card, 501)).toBe('partner_ceiling_reached')
  expect(await reasonOf(card, 500)).toBeNull()
  await runSql(app, `update partners set exposure_max = ${before} ${all}`, [app.partner_id])
  const [ann, ben] = [await createOperatorId(app), await createOperatorId(app)]
  const stop = { kind: 'partner', partner_id: app.partner_id } as const
  await asOperator(app, tx => activateSwitch(tx.as(ann), stop, 'contract ended'))
  expect(await reasonOf(card)).toBe('lending_stopped')
  await asOperator(app, tx => deactivateSwitch(tx.as(ben), stop))
  expect(await reasonOf(card)).toBeNull()
  // Statuses set directly in the database have no history.
  const { findings } = await app.verify()
  expect(findings.filter(({ check }) => check !== 'history')).toEqual([])
})

async function exposureMax(): Promise<bigint> {
  const { rows } = await asOperator(app, tx =>
    tx.raw('select exposure_max from partners where id = $1', [app.partner_id]),
  )
  return rows[0].exposure_max
}
