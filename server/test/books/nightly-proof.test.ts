/** Verifying the books is the last run of a day: a failure is retried and raises an alert. */
import { expect, test } from 'vitest'
import { advanceClock, runBusinessDay } from '../../src/back-office/business-days/business-day.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import { parisDay } from '../../src/platform/kit/dates.ts'
import { testApp } from '../support/app.ts'
import { asOperator } from '../support/operators.ts'
import { plusDays, readyBorrower, today } from '../support/story.ts'

const app = await testApp({ work: false })

const turn = () => runBusinessDay(app.context)

const sql = (text: string) => app.context.database.pool.query(text)

const alerts = async (kind: string) =>
  (await asOperator(app, readOpenAlerts)).filter(alert => alert.kind === kind)

/** Advances the clock by some days and verifies the books on the last one. */
async function walk(days: number): Promise<void> {
  await advanceClock(app.context, now => new Date(now.getTime() + days * 86_400_000))
}

test('a failed verification leaves the day unfinished and is retried', async () => {
  await sql('alter table write_offs rename to write_offs_gone')
  await expect(turn()).rejects.toThrow('is unfinished')
  expect((await alerts('day_unfinished'))[0]?.detail).toMatch(/: verify the books \(.*write_offs/)
  await sql('alter table write_offs_gone rename to write_offs')
  expect(await turn()).toBeGreaterThan(0)
  expect(await alerts('day_unfinished')).toEqual([])
  expect(await turn()).toBe(0)
})

test("later days do not wait for an earlier day's verification", async () => {
  await sql('alter table write_offs rename to write_offs_gone')
  await expect(walk(1)).rejects.toThrow('is unfinished')
  await sql('alter table write_offs_gone rename to write_offs')
  await walk(1)
  expect(await alerts('day_unfinished')).toEqual([])
})

test('findings keep an alert open; only the last day is verified', async () => {
  await readyBorrower(app)
  await sql('update partners set exposure = exposure + 1')
  await walk(3)
  const [alert, ...others] = await alerts('books_wrong')
  expect(others).toEqual([])
  expect(alert?.detail).toMatch(/^partner_exposure: partner .* is exposed by 1, its lines 0/)
  expect(parisDay(alert!.raised_at)).toBe(await today(app))
  await walk(1)
  expect(await alerts('books_wrong')).toEqual([alert])
  await sql('update partners set exposure = exposure - 1')
  const day = await today(app)
  await walk(1)
  expect(await today(app)).toBe(plusDays(day, 1))
  expect(await alerts('books_wrong')).toEqual([])
})
