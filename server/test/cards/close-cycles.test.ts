/** Closing card cycles takes the same number of SQL statements for any number of lines. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { closeCardCycles } from '../../src/credit/cards/index.ts'
import { runPaged } from '../../src/platform/db/slices.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { appOn, expectVerified } from '../support/calendar.ts'
import { activeCard, spend } from '../support/cards.ts'
import { failingWhere } from '../support/failing.ts'
import { allOf } from '../support/reports.ts'
import { statementsOf } from '../support/statements.ts'

test('all lines close together, each once; one that cannot close blocks no other', async () => {
  const app = await appOn('2027-02-25')
  const { database } = app.context
  const first = day('2027-03-01')
  const spending = async (count: number) => {
    const cards = await Promise.all(Array.from({ length: count }, () => activeCard(app)))
    await Promise.all(cards.map(card => spend(app, card, 4_000)))
    return cards.map(card => card.borrower.id)
  }
  const lent = async () => (await allOf(app, 'select from loans')).length
  const took: number[] = []
  for (const count of [2, 8]) {
    await spending(count)
    took.push(await statementsOf(database, on => runPaged(on, closeCardCycles(first))))
  }
  expect(took[1]).toBe(took[0])
  expect(await lent()).toBe(10)
  const [one] = await spending(3)
  const isLent = sql`exists (select from loans where borrower_id = ${one})`
  const failing = runPaged(failingWhere(database, isLent), closeCardCycles(first))
  await expect(failing).rejects.toThrow('card cycles to close: some failed')
  expect(await lent()).toBe(12)
  expect(await runPaged(database, closeCardCycles(first))).toBe(1)
  expect(await runPaged(database, closeCardCycles(first))).toBe(0)
  expect(await lent()).toBe(13)
  await expectVerified(app)
})
