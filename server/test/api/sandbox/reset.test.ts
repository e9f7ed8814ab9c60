/** A reset over HTTP: all data is gone, keys keep working, and the same steps can be repeated. */
import { beforeAll, expect, test } from 'vitest'
import { parisDay } from '../../../src/platform/kit/dates.ts'
import { type TestHouse, testHouse } from '../../support/house.ts'
import { borrower, loan, reaches, today } from './story.ts'

let house: TestHouse
beforeAll(async () => {
  house = await testHouse()
})

test('deletes the data of every partner while the worker is running', async () => {
  const company = await borrower(house.client)
  await borrower(house.second)
  await reaches(house, await loan(house.client, company), 'TO_REPAY')
  await house.client.advanceSandboxClock({ days: 2 })

  const { status } = await house.client.call('resetSandbox')
  expect(status).toBe(204)
  for (const client of [house.client, house.second]) {
    expect((await client.listBorrowers()).data).toEqual([])
    expect((await client.listLoans()).data).toEqual([])
    expect((await client.listSandboxMailbox()).data).toEqual([])
    expect((await client.listSandboxBankInstructions()).data).toEqual([])
  }
  expect(await today(house.client)).toBe(parisDay(new Date()))

  const again = await borrower(house.client)
  await reaches(house, await loan(house.client, again), 'TO_REPAY')
  expect((await house.verify()).findings).toEqual([])
})
