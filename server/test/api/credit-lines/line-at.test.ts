/** A line's figures at a past time. */
import type { CreditLine } from '@headroom/contract'
import { expect, test } from 'vitest'
import { testApp } from '../../support/app.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { plusDays, readyBorrower, requestLoan, today } from '../../support/story.ts'

const app = await testApp({ work: false })
const { client } = app

/** Returns the time, and waits for the next millisecond so that the next change comes later. */
async function now(): Promise<string> {
  const { now } = await client.getSandboxClock()
  while ((await client.getSandboxClock()).now === now) {}
  return now
}

test('a past time returns the figures that were returned then', async () => {
  const born = (await client.getSandboxClock()).now
  const borrower = await readyBorrower(app)
  const { id } = (await client.listCreditLines({ borrower: [borrower.id] })).data[0]!
  const seen: { at: string; line: CreditLine }[] = []
  const look = async () => {
    const line = await client.getCreditLine({ credit_line_id: id })
    seen.push({ at: await now(), line })
  }
  await look()
  const loan = await requestLoan(app, borrower, { amount: 700_000, auto_validate: false })
  await look()
  await client.validateLoan({ loan_id: loan.id })
  await look()
  await app.drain()
  await look()
  const canceled = await requestLoan(app, borrower, { amount: 300_000, auto_validate: false })
  await look()
  // The amount of an undecided loan can change, but a past time shows the amount it had then.
  const changed = await requestLoan(app, borrower, { amount: 50_000, auto_validate: false })
  await look()
  for (const amount of [90_000, 20_000]) {
    await client.changeLoan({ loan_id: changed.id, amount })
    await look()
  }
  await client.validateLoan({ loan_id: changed.id })
  await look()
  await client.cancelLoan({ loan_id: canceled.id })
  await look()
  const day = await today(app)
  const periods = [{ from: plusDays(day, -29), to: day, amount: 400_000, count: 1 }]
  const about = { identifier: borrower.identifier, identifier_type: 'siren' as const }
  await client.shareActivity({ ...about, kind: 'SALES', periods })
  await app.drain()
  await look()
  await client.advanceSandboxClock({ days: 31 })
  await look()

  const figures = seen.map(({ line }) => [
    line.pool_amount,
    line.balance_available,
    line.balance_pending,
    line.balance_pending_validation,
  ])
  expect(new Set(figures.map(String)).size).toBeGreaterThan(5)
  for (const { at, line } of seen) {
    const past = await client.getCreditLine({ credit_line_id: id, at })
    expect(past, at).toEqual(line)
  }
  const unborn = await refusal(client.getCreditLine({ credit_line_id: id, at: born }))
  expect(unborn).toMatchObject({ status: 404, code: 'resource_unknown' })
  const foreign = refusal(app.second.getCreditLine({ credit_line_id: id, at: seen[1]!.at }))
  expect(await foreign).toMatchObject({ status: 404 })
})

test('a plain date is the end of that day in Paris, and today is now', async () => {
  const borrower = await readyBorrower(app)
  const { id } = (await client.listCreditLines({ borrower: [borrower.id] })).data[0]!
  const day = await today(app)
  const before = await client.getCreditLine({ credit_line_id: id })
  await client.advanceSandboxClock({ days: 1 })
  await requestLoan(app, borrower, { amount: 700_000 })
  expect(await client.getCreditLine({ credit_line_id: id, at: day })).toEqual(before)
  const now = await client.getCreditLine({ credit_line_id: id })
  expect(now.balance_available).toBe(before.balance_available! - 700_000)
  expect(await client.getCreditLine({ credit_line_id: id, at: plusDays(day, 1) })).toEqual(now)
  const past = client.getCreditLine({ credit_line_id: id, at: plusDays(day, -1) })
  expect(await refusal(past)).toMatchObject({ status: 404 })
})

test('a time in the future or an invalid one is a fault', async () => {
  const borrower = await readyBorrower(app)
  const { id } = (await client.listCreditLines({ borrower: [borrower.id] })).data[0]!
  const { now } = await client.getSandboxClock()
  const soon = new Date(Date.parse(now) + 60_000).toISOString()
  for (const at of [soon, '2100-01-01T00:00:00Z', '9999-12-31', plusDays(now.slice(0, 10), 2)]) {
    const faults = await faultsOf(client.getCreditLine({ credit_line_id: id, at }))
    expect(faults.at).toContain('has not come')
  }
  for (const at of ['yesterday', '2026-02-31T00:00:00Z', '0000-01-01T00:00:00Z', '1969-12-31']) {
    const faults = await faultsOf(client.getCreditLine({ credit_line_id: id, at }))
    expect(Object.keys(faults)).toEqual(['at'])
  }
})
