/** An open alert shows the current detail, and clears when its cause is gone. */
import { beforeAll, expect, test } from 'vitest'
import {
  clearAlert,
  clearAlertsUntil,
  raiseAlert,
  readOpenAlerts,
  updateAlert,
} from '../../src/platform/alerts/index.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { asOperator } from '../support/operators.ts'

const KIND = 'refund_waiting'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ work: false })
})

async function details(subject_id: string): Promise<string[]> {
  const open = await asOperator(app, readOpenAlerts)
  return open.filter(one => one.subject_id === subject_id).map(one => one.detail)
}

test('raising an open alert again updates its detail', async () => {
  const id = crypto.randomUUID()
  await asOperator(app, tx => raiseAlert(tx, KIND, id, '100 cents'))
  await asOperator(app, tx => raiseAlert(tx, KIND, id, '250 cents'))
  expect(await details(id)).toEqual(['250 cents'])
})

test('restating updates an open alert and never raises one', async () => {
  const id = crypto.randomUUID()
  await asOperator(app, tx => raiseAlert(tx, KIND, id, '100 cents'))
  await asOperator(app, tx => updateAlert(tx, KIND, id, '40 cents'))
  expect(await details(id)).toEqual(['40 cents'])
  await asOperator(app, tx => clearAlert(tx, KIND, id))
  await asOperator(app, tx => updateAlert(tx, KIND, id, '20 cents'))
  expect(await details(id)).toEqual([])
})

test('clearing a kind of alert up to a time leaves later ones open', async () => {
  const [early, late, other] = [0, 1, 2].map(() => crypto.randomUUID()) as [string, string, string]
  const until = await asOperator(app, async tx => {
    await raiseAlert(tx, 'processor_unpaid', early, 'early')
    await raiseAlert(tx, KIND, other, 'of another kind')
    return tx.now
  })
  await asOperator(app, tx => raiseAlert(tx, 'processor_unpaid', late, 'late'))
  await asOperator(app, tx => clearAlertsUntil(tx, 'processor_unpaid', until))
  expect(await details(early)).toEqual([])
  expect(await details(late)).toEqual(['late'])
  expect(await details(other)).toEqual(['of another kind'])
})
