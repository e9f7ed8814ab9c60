/** A business day that cannot be finished does not keep the next ones from their work. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { runBusinessDay } from '../../src/business-day.ts'
import { verified } from '../support/calendar.ts'
import { failingWhere } from '../support/failing.ts'
import { testHouse } from '../support/house.ts'
import { allOf } from '../support/reports.ts'
import { plusDays, today } from '../support/story.ts'

test('the next day is run all the same, and it is tried again until it is finished', async () => {
  const house = await testHouse({ work: false })
  const { context } = house
  const first = await today(house)
  const finished = async () => {
    const days = await allOf<{ day: string }>(
      house,
      'select business_date::text as day from business_days order by 1',
    )
    return days.map(({ day }) => day)
  }
  await runBusinessDay(context)
  expect(await finished()).toEqual([first])
  await context.database.pool.query(
    'update deployment set clock_offset_ms = clock_offset_ms + 2 * 86400000',
  )
  // How the business stood at the end of the first day is what the second one cannot write down.
  const isSecond = sql`exists (select from portfolio_days where business_date = ${first})`
  const failing = { ...context, database: failingWhere(context.database, isSecond) }
  const [second, third] = [plusDays(first, 1), plusDays(first, 2)]
  await expect(runBusinessDay(failing)).rejects.toThrow(`business day ${second} is unfinished`)
  expect(await finished()).toEqual([first, third])
  await runBusinessDay(context)
  expect(await finished()).toEqual([first, second, third])
  expect(await runBusinessDay(context)).toBe(0)
  await verified(house)
}, 60_000)
