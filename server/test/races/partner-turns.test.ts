/** A partner's jobs do not wait until all jobs of another partner have run. */
import { expect, test } from 'vitest'
import { runJobs } from '../../src/worker.ts'
import { testApp } from '../support/app.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const LOANS = 40
/** A loan takes three jobs: prepare, submit, book. Each may wait for a few of the other's jobs. */
const TURNS_MAX = 15

test('a loan is paid out in a few turns, however many loans another partner requests', async () => {
  const app = await testApp({ work: false })
  const other = { ...app, client: app.second }
  const busy = await readyBorrower(app)
  const borrower = await readyBorrower(other)
  await app.drain()
  for (let n = 0; n < LOANS; n++) await requestLoan(app, busy, { amount: 1_000 })
  const { id: loan_id } = await requestLoan(other, borrower, { amount: 1_000 })
  let turns = 0
  while ((await other.client.getLoan({ loan_id })).status !== 'TO_REPAY') {
    expect(++turns).toBeLessThan(TURNS_MAX)
    await runJobs(app.context)
  }
  const { data } = await app.client.listLoans({ borrower: [busy.id], page_size: 100 })
  const paid = data.filter(({ status }) => status === 'TO_REPAY')
  expect(data).toHaveLength(LOANS)
  expect(paid.length).toBeLessThan(LOANS / 2 + TURNS_MAX)
  // The busy partner's loans are paid out as well.
  await app.drain()
  const after = await app.client.listLoans({ borrower: [busy.id], page_size: 100 })
  expect(new Set(after.data.map(({ status }) => status))).toEqual(new Set(['TO_REPAY']))
})
