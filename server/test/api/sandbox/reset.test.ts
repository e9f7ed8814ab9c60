/** A reset over HTTP: nothing is left, keys keep working, and the story can begin again. */
import { beforeAll, expect, test } from 'vitest'
import { parisDay } from '../../../src/platform/kit/dates.ts'
import { type TestHouse, testHouse } from '../../support/house.ts'
import { borrower, loan, reaches, today } from './story.ts'

let house: TestHouse
beforeAll(async () => {
  house = await testHouse()
})

test('empties everything of everybody while the worker is at work', async () => {
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
