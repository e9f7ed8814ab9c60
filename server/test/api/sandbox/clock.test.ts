/** The sandbox clock over HTTP. */
import { beforeAll, expect, test } from 'vitest'
import { addDays, day, parisDay } from '../../../src/platform/kit/dates.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { refusal, today } from './story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ on: null })
})

test('the clock starts today, and ticks', async () => {
  const first = await app.client.getSandboxClock()
  expect(Math.abs(Date.parse(first.now) - Date.now())).toBeLessThan(10_000)
  expect(day(first.business_date.slice(0, 10))).toBe(parisDay(new Date(first.now)))
  const second = await app.client.getSandboxClock()
  expect(Date.parse(second.now)).toBeGreaterThanOrEqual(Date.parse(first.now))
})

test('`days` advances by days, `to` advances to a day, for every partner', async () => {
  const start = await today(app.client)
  const moved = await app.client.advanceSandboxClock({ days: 3 })
  expect(moved.business_date).toBe(`${addDays(start, 3)}T00:00:00Z`)
  expect(moved.jobs_run).toBeGreaterThanOrEqual(0)
  expect(await today(app.second)).toBe(addDays(start, 3))
  const to = addDays(start, 10)
  const jumped = await app.client.advanceSandboxClock({ to })
  expect(jumped.business_date).toBe(`${to}T00:00:00Z`)
  expect(Date.parse(jumped.now)).toBeGreaterThanOrEqual(Date.parse(`${addDays(to, -1)}T21:00:00Z`))
})

test('never backwards, never too far, and with exactly one parameter', async () => {
  const now = await today(app.client)
  for (const input of [
    { to: addDays(now, -1) },
    { to: addDays(now, 401) },
    { to: 'soon' },
    { days: 0 },
    { days: 401 },
    { days: 1, to: addDays(now, 1) },
    {},
  ]) {
    const found = await refusal(app.client.advanceSandboxClock(input))
    expect({ input, status: found.status, named: found.invalid_params.length > 0 }).toEqual({
      input,
      status: 422,
      named: true,
    })
  }
  // Advancing to the current day returns immediately.
  await app.client.advanceSandboxClock({ to: now })
  expect(await today(app.client)).toBe(now)
})
