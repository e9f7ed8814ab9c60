/** Five hundred concurrent authorization requests from the processor, some of them repeated. */
import { beforeAll, expect, test } from 'vitest'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { activeCard, balanceOf } from '../support/cards.ts'
import { deliver, fakeStripe } from '../support/stripe.ts'
import { authorizationRequest } from '../support/stripe-purchases.ts'

let app: TestApp
beforeAll(async () => {
  const { settings } = await fakeStripe()
  app = await testApp({ connections: POOL_MAX, config: { stripe: settings } })
})

const POOL = 5_000_000
const AMOUNT = 37_000

test('no line is exceeded, and a repeated request reserves once', async () => {
  const [hot, other] = [await activeCard(app), await activeCard(app)]
  const requires = Array.from({ length: 400 }, (_, n) =>
    authorizationRequest(hot, `iauth_hot_${n}`, AMOUNT),
  )
  const beside = Array.from({ length: 50 }, (_, n) =>
    authorizationRequest(other, `iauth_other_${n}`, 1_000),
  )
  const sent = [...requires, ...beside, ...requires.slice(0, 50)]
  const answers = await Promise.all(sent.map(send => deliver(app, send)))
  const result = await Promise.all(answers.map(answer => answer.json()))
  const approved = result.map(decision => (decision as { approved: boolean }).approved)
  const most = Math.floor(POOL / AMOUNT)
  expect(approved.slice(0, 400).filter(Boolean)).toHaveLength(most)
  expect(approved.slice(400, 450).every(Boolean)).toBe(true)
  expect(approved.slice(450)).toEqual(approved.slice(0, 50))
  expect((await balanceOf(app, hot)).pending).toBe(most * AMOUNT)
  expect((await balanceOf(app, other)).pending).toBe(50_000)
  expect((await app.verify()).findings).toEqual([])
})
