/** An unfinished business day raises an alert. Its failed runs and those after them are retried. */
import { expect, test } from 'vitest'
import { runBusinessDay } from '../../src/back-office/business-days/business-day.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import { testApp } from '../support/app.ts'
import { createOperatorSession, signIn } from '../support/console.ts'
import { lend, loanOf, repayOn, runSql } from '../support/money.ts'
import { asOperator } from '../support/operators.ts'
import { allOf } from '../support/reports.ts'
import { readyBorrower, requestLoan, today } from '../support/story.ts'

const app = await testApp({ work: false })

const turn = () => runBusinessDay(app.context)

async function unfinished(): Promise<string[]> {
  const open = await asOperator(app, readOpenAlerts)
  return open.filter(alert => alert.kind === 'day_unfinished').map(alert => alert.detail)
}

/** Makes the run that records overdue loans fail; returns a function that repairs it. */
async function poison(): Promise<() => Promise<unknown>> {
  const { pool } = app.context.database
  await pool.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'no lateness today'; end $$`)
  await pool.query(`create trigger poisoned before insert on late_loans
    for each row execute function refuse()`)
  return () => pool.query('drop trigger poisoned on late_loans')
}

/**
 * Creates a credit line that an earlier run of the day renews. Returns a function that tells
 * whether the line was renewed.
 */
async function oldLine(): Promise<() => Promise<boolean>> {
  const { id } = await readyBorrower(app)
  const old = "update credit_lines set assessed_on = '2026-01-01' where borrower_id = $1"
  await runSql(app, old, [id])
  return async () => {
    const which = "select from credit_lines where borrower_id = $1 and assessed_on > '2026-01-01'"
    return (await allOf(app, which, [id])).length > 0
  }
}

/**
 * Creates a loan that a later run of the day declines. Returns a function that tells whether the
 * loan was declined.
 */
async function heldLoan(): Promise<() => Promise<boolean>> {
  const input = { amount: 1_000, days: 2, auto_validate: false }
  const { id } = await requestLoan(app, await readyBorrower(app), input)
  await runSql(app, "update loans set to_pay_on = '2026-01-01' where id = $1", [id])
  await repayOn(app, id, "'2026-01-03'")
  return async () => (await loanOf(app, id)).status === 'DECLINED'
}

test('an alert names the failed runs until all succeed; earlier runs do not repeat', async () => {
  const { id } = await lend(app, await readyBorrower(app, 'SCT'), { amount: 1_000 })
  await repayOn(app, id, "'2026-01-20'")
  const heal = await poison()
  const first = [await oldLine(), await heldLoan()]
  await expect(turn()).rejects.toThrow('is unfinished')
  for (const isDone of first) expect(await isDone()).toBe(true)
  const day = await today(app)
  const [detail, ...others] = await unfinished()
  expect(others).toEqual([])
  expect(detail).toMatch(
    new RegExp(`^${day} is not done, .*: review overdue loans \\(.*no lateness today\\)$`),
  )
  await createOperatorSession(app, { email: 'vera@lender.example', role: 'viewer' })
  const viewer = await signIn(app, 'vera@lender.example')
  const days = async () => (await viewer.admin('getBacklog')).days
  expect(await days()).toMatchObject([{ finished_at: null }])

  // While one run fails, no other is repeated. Once it succeeds, the runs after it are repeated.
  const [before, after] = [await oldLine(), await heldLoan()]
  await expect(turn()).rejects.toThrow('is unfinished')
  expect([await before(), await after()]).toEqual([false, false])
  expect(await unfinished()).toEqual([detail])
  await heal()
  expect(await turn()).toBeGreaterThan(0)
  expect([await before(), await after()]).toEqual([false, true])
  expect(await allOf(app, 'select from late_loans where loan_id = $1', [id])).toHaveLength(1)
  expect(await unfinished()).toEqual([])
  expect(await days()).toMatchObject([{ finished_at: expect.any(String) }])
  expect(await turn()).toBe(0)
})
