/** Fifty concurrent executions of one decision step run it once. */
import { expect, test } from 'vitest'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { testApp } from '../support/app.ts'
import { approvedDecision, type Planned, sendPlanned, statusOf } from '../support/decisions.ts'
import { plusDays, readyBorrower, today } from '../support/story.ts'

const TIMES = 50

test('50 concurrent executions of a loan request create one loan', async () => {
  const app = await testApp({ connections: POOL_MAX })
  const borrower = await readyBorrower(app)
  const day = await today(app)
  const body = {
    loan_type: 'WALLET_FINANCING',
    amount: 100_000,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: day,
    to_repay_at: plusDays(day, 30),
    auto_validate: false,
    salt_id: crypto.randomUUID(),
  }
  const loan: Planned = { method: 'POST', path: '/loans', body }
  const cancel = { method: 'POST', path: '/loan/{{step.1.json.id}}/cancel' } as const
  const { id } = await approvedDecision(app, [loan, cancel])
  const headers = { 'x-decision-id': id }
  const all = await Promise.all(
    Array.from({ length: TIMES }, () => statusOf(sendPlanned(app, loan, { headers }))),
  )
  expect(all.toSorted()).toEqual(['201 done', ...Array(TIMES - 1).fill('403 step_executed')])
  const { data } = await app.client.listLoans({})
  expect(data).toHaveLength(1)

  const path = `/loan/${data[0]!.id}/cancel`
  const cancels = Array.from({ length: TIMES }, () =>
    statusOf(sendPlanned(app, { ...cancel, path }, { headers })),
  )
  const done = (await Promise.all(cancels)).toSorted()
  expect(done.slice(1)).toEqual(Array(TIMES - 1).fill('403 step_executed'))
  expect((await app.agent.getDecision({ decision_id: id })).status).toBe('EXECUTED')
  expect((await app.client.getLoan({ loan_id: data[0]!.id })).status).toBe('CANCELED')
  const executed = await app.client.listDecisionAttempts({ outcome: ['EXECUTED'] })
  expect(executed.data.map(attempt => attempt.step)).toEqual([2, 1])
  const refused = await app.client.listDecisionAttempts({ outcome: ['REFUSED'] })
  const attempts = refused.data.reduce((sum, { repeats }) => sum + 1 + repeats, 0)
  expect(attempts).toBe(2 * (TIMES - 1))
  expect((await app.verify()).findings).toEqual([])
})
