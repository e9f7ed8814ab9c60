/** The example of docs/agents.md, run by the official client over HTTP. */
import { expect, test } from 'vitest'
import { appOn } from '../support/calendar.ts'
import { mcpClient } from '../support/mcp.ts'
import { lend } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const PLANS = '/recollection-case/{{step.1.json.id}}/installment-plans'
const CASE = {
  agent: 'Collections agent',
  next_action: { action_name: 'Confirm the plan by phone', due_at: '2027-02-03' },
}

const TERMS = {
  number_of_installment: 3,
  period: 'weekly',
  start_date: '2027-02-08',
  repayment_method: 'SCT',
  recollection_fees: 1_500,
}

test('an agent collects an overdue loan, and a human approves', async () => {
  // A Monday.
  const app = await appOn('2027-01-11')
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 90_000, days: 14 })
  await lend(app, await readyBorrower(app, 'SCT'), { amount: 50_000, days: 40 })
  await app.client.advanceSandboxClock({ to: '2027-02-01' })

  const { client, call } = await mcpClient(app)
  expect(client.getInstructions()).toContain('2027-02-01')

  // 1. The agent finds the overdue borrower.
  const late = await call('listLoans', { status: ['TO_REPAY'], to_repay_at_to: '2027-02-01' })
  expect(late.json.data).toMatchObject([{ id: loan.id, amount: 90_000 }])
  const { identifier, identifier_type } = late.json.data[0].borrower
  const cases = await call('listRecollectionCases', { identifier, status: 'OPEN' })
  expect(cases.json.data).toEqual([])

  // 2. It previews a plan, which writes nothing.
  const terms = { ...TERMS, loan_ids: [loan.id] }
  const plan = (await call('computeInstallmentPlan', { body: terms })).json
  expect(plan.installments).toHaveLength(3)

  // 3. It proposes two steps; the second refers to the first.
  const opening = { ...CASE, debtor_business: { identifier, identifier_type }, loan_ids: [loan.id] }
  const proposed = await call('proposeDecision', {
    body: {
      title: 'Three weekly installments for a late borrower',
      rationale: 'A week late. It offers to repay by transfer from 8 February on.',
      operations: [
        { method: 'POST', path: '/recollection-cases', body: opening },
        { method: 'POST', path: PLANS, body: plan },
      ],
    },
  })
  expect(proposed).toMatchObject({ isError: false, json: { status: 'PROPOSED' } })
  const decision_id = proposed.json.id
  const early = await call('createRecollectionCase', { decision_id, body: opening })
  expect(early).toMatchObject({ isError: true, json: { code: 'decision_unapproved' } })

  // 4. A human approves the decision.
  await app.client.approveDecision({ decision_id, comment: 'Agreed with them by phone.' })

  // 5. The agent executes both steps, in order.
  const ahead = { decision_id, recollection_case_id: decision_id, body: plan }
  const wrong = await call('createRecollectionInstallmentPlan', ahead)
  expect(wrong.json.code).toBe('operation_unplanned')
  const opened = await call('createRecollectionCase', { decision_id, body: opening })
  expect(opened).toMatchObject({ isError: false, json: { status: 'OPEN' } })
  const made = await call('createRecollectionInstallmentPlan', {
    decision_id,
    recollection_case_id: opened.json.id,
    body: plan,
  })
  expect(made.isError).toBe(false)
  const decision = (await call('getDecision', { decision_id })).json
  expect(decision.status).toBe('EXECUTED')
  const { installment_plan_id } = decision.operations[1].response.json
  await app.drain()
  const scheduled = await call('getInstallmentPlan', { installment_plan_id })
  expect(scheduled.json).toMatchObject({
    status: 'SCHEDULED',
    recollection_case_id: opened.json.id,
  })
  const again = await call('createRecollectionCase', { decision_id, body: opening })
  expect(again.json.code).toBe('step_executed')
  expect((await app.verify()).findings).toEqual([])
})
