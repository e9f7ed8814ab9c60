/** Reasons for declining a card payment in real time, one by one. */
import { beforeAll, expect, test } from 'vitest'
import { liftSwitch, throwSwitch } from '../../../src/money/payments/index.ts'
import { activeCard, authorize, spend } from '../../support/cards.ts'
import { atDesk, operatorOf } from '../../support/desk.ts'
import { type TestHouse, testHouse } from '../../support/house.ts'
import { byHand } from '../../support/money.ts'

let house: TestHouse
beforeAll(async () => {
  // Jobs run only when drained, because their changes would be another reason to decline.
  house = await testHouse({ work: false })
})

const reasonOf = async (card: { id: string }, amount = 100) =>
  (await authorize(house, card, amount)).reason

test.each([
  ['borrower_blocked', `update borrowers set status = 'BLOCKED' where id = $1`],
  ['borrower_prohibited', `update borrowers set status = 'PROHIBITED' where id = $1`],
  [
    'compliance_not_approved',
    `update compliance_checks set status = 'REVIEWING' where borrower_id = $1`,
  ],
  ['line_expired', `update credit_lines set ends_on = '2020-01-01' where borrower_id = $1`],
  ['line_closed', 'update credit_lines set closed_at = now() where borrower_id = $1'],
  [
    'repayment_method_missing',
    `update repayment_methods set status = 'DEACTIVATED' where borrower_id = $1`,
  ],
])('%s', async (reason, statement) => {
  const card = await activeCard(house)
  expect(await reasonOf(card)).toBeNull()
  await byHand(house, statement, [card.borrower.id])
  expect(await reasonOf(card)).toBe(reason)
})

test('a borrower with card spending cannot be deactivated; else its card is canceled', async () => {
  const card = await activeCard(house)
  const { authorization_id } = await authorize(house, card, 100)
  const leave = () => house.client.deactivateBorrower({ borrower_id: card.borrower.id })
  await expect(leave()).rejects.toMatchObject({ code: 'money_owed' })
  await house.client.reverseSandboxAuthorization({ authorization_id })
  await leave()
  expect(await reasonOf(card)).toBe('borrower_deactivated')
  await house.drain()
  expect((await house.client.getCard({ card_id: card.id })).status).toBe('canceled')
  // A merchant that captures anyway is still owed the money.
  const forced = await house.client.forcePostSandboxCard({ card_id: card.id, amount: 300 })
  expect(forced).toMatchObject({ status: 'completed', amount: 300 })
  // Statuses set directly in the database have no history.
  const { findings } = await house.verify()
  expect(findings.filter(({ check }) => check !== 'history')).toEqual([])
})

test("the partner's ceiling and its kill switch", async () => {
  const card = await activeCard(house)
  await spend(house, card, 1_000)
  const all = 'where id = $1'
  const before = await exposureMax()
  const full = `update partners set exposure_max = exposure + 500 ${all}`
  await byHand(house, full, [house.partner_id])
  expect(await reasonOf(card, 501)).toBe('partner_ceiling_reached')
  expect(await reasonOf(card, 500)).toBeNull()
  await byHand(house, `update partners set exposure_max = ${before} ${all}`, [house.partner_id])
  const [ann, ben] = [await operatorOf(house), await operatorOf(house)]
  const stop = { kind: 'partner', partner_id: house.partner_id } as const
  await atDesk(house, tx => throwSwitch(tx, ann, stop, 'contract ended'))
  expect(await reasonOf(card)).toBe('lending_stopped')
  await atDesk(house, tx => liftSwitch(tx, ben, stop))
  expect(await reasonOf(card)).toBeNull()
  // Statuses set directly in the database have no history.
  const { findings } = await house.verify()
  expect(findings.filter(({ check }) => check !== 'history')).toEqual([])
})

async function exposureMax(): Promise<bigint> {
  const { rows } = await atDesk(house, tx =>
    tx.raw('select exposure_max from partners where id = $1', [house.partner_id]),
  )
  return rows[0].exposure_max
}
