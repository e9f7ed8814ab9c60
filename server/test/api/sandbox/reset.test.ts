/** A reset deletes all data but keeps the keys, and the same steps can then be repeated. */
import { beforeAll, expect, test } from 'vitest'
import { parisDay } from '../../../src/platform/kit/dates.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { borrower, loan, reaches, today } from './story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

test('deletes the data of every partner while the worker is running', async () => {
  const company = await borrower(app.client)
  await borrower(app.second)
  await reaches(app, await loan(app.client, company), 'TO_REPAY')
  await app.client.advanceSandboxClock({ days: 2 })

  const { status } = await app.client.call('resetSandbox')
  expect(status).toBe(204)
  for (const client of [app.client, app.second]) {
    expect((await client.listBorrowers()).data).toEqual([])
    expect((await client.listLoans()).data).toEqual([])
    expect((await client.listSandboxMailbox()).data).toEqual([])
    expect((await client.listSandboxBankInstructions()).data).toEqual([])
  }
  expect(await today(app.client)).toBe(parisDay(new Date()))

  const again = await borrower(app.client)
  await reaches(app, await loan(app.client, again), 'TO_REPAY')
  expect((await app.verify()).findings).toEqual([])
})
