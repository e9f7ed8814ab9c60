/** Installment plans: previewing, creating and reading them; faults and repeated requests. */
import { beforeAll, expect, test } from 'vitest'
import {
  checkTerms,
  computePlan,
  debtsOfCase,
} from '../../../src/credit/recollection/plans/compute-plan.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { withTampering } from '../../books/with-tampering.ts'
import type { TestApp } from '../../support/app.ts'
import { appOn } from '../../support/calendar.ts'
import { type Loan, lend } from '../../support/money.ts'
import { installmentsOf, openCase, planFor } from '../../support/recollection.ts'
import { refusal } from '../../support/refusal.ts'
import { type ReadyBorrower, readyBorrower } from '../../support/story.ts'

let app: TestApp
let debited: ReadyBorrower
let paying: ReadyBorrower

beforeAll(async () => {
  // 1 February 2027 is a Monday.
  app = await appOn('2027-02-01')
  debited = await readyBorrower(app)
  paying = await readyBorrower(app, 'SCT')
})

const TERMS = { number_of_installment: 3, period: 'monthly' as const, start_date: '2027-02-26' }

async function caseOf(borrower: ReadyBorrower) {
  const loan = await lend(app, borrower, { amount: 12_000, days: 20 })
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  return { loan, recollection_case_id: id }
}

const reasons = async (call: Promise<unknown>) => {
  const { status, invalid_params } = await refusal(call)
  expect(status).toBe(422)
  return invalid_params.map(one => `${one.name} ${one.reason}`)
}

const byLoan = (loan: Loan, ...amounts: number[]) =>
  amounts.map((amount, i) => ({
    amount,
    date: `2027-0${i + 3}-05`,
    loans: [{ loan_id: loan.id, amount }],
  }))

test('both ways to compute give the same result, and write nothing', async () => {
  const { client } = app
  const { loan, recollection_case_id } = await caseOf(debited)
  const terms = { ...TERMS, recollection_fees: 100 }
  const one = await client.computeRecollectionInstallmentPlan({ recollection_case_id, ...terms })
  expect(await client.computeInstallmentPlan({ recollection_case_id, ...terms })).toEqual(one)
  expect(await client.computeInstallmentPlan({ loan_ids: [loan.id], ...terms })).toEqual(one)
  expect(one).toMatchObject({
    payment_method: 'DIRECT_DEBIT',
    repayment_method: 'DIRECT_DEBIT',
    recollection_fees: 100,
  })
  expect(one.installments.map(i => [i.date.slice(0, 10), i.recollection_fees])).toEqual([
    ['2027-02-26', 33],
    ['2027-03-30', 33],
    ['2027-04-26', 34],
  ])
  for (const { amount, loans, recollection_fees } of one.installments) {
    expect(amount).toBe(loans[0]!.amount + recollection_fees)
  }
  expect((await client.listInstallments({ loan_ids: [loan.id] })).data).toEqual([])
})

test('a preview allows no more installments than a plan', async () => {
  const loans: Loan[] = []
  for (let n = 0; n < 6; n++) loans.push(await lend(app, paying, { amount: 2_000, days: 20 }))
  const compute = (number_of_installment: number) =>
    app.client.computeInstallmentPlan({
      ...TERMS,
      number_of_installment,
      period: 'weekly',
      loan_ids: loans.map(loan => loan.id),
    })
  expect((await compute(500)).installments).toHaveLength(500)
  expect(await reasons(compute(501))).toEqual([
    'number_of_installment is more than 500, the most for 6 loans and bills',
  ])
})

test('a case with more debts than a plan may have installments is rejected', async () => {
  const { loan, recollection_case_id } = await caseOf(paying)
  const { rows } = await app.context.database.pool.query(
    `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
      where table_schema = 'public' and table_name = 'loans' and is_generated = 'NEVER'
        and column_name not in ('id', 'salt_id', 'repayment_reference')`,
  )
  const { names } = rows[0]
  const copies = `
    with copies as (
      insert into loans (id, repayment_reference, ${names})
      select gen_random_uuid(), 'copy ' || n, ${names}
      from loans, generate_series(1, 3000) n where id = '${loan.id}' returning id, partner_id)
    insert into recollection_case_loans (case_id, loan_id, partner_id, is_open)
    select '${recollection_case_id}', id, partner_id, true from copies`
  const refused = await withTampering(app, [copies], async tx => {
    const about = await debtsOfCase(tx, app.partner_id, recollection_case_id)
    const { meaning } = await checkTerms(tx, app.partner_id, about, TERMS)
    const terms = { ...TERMS, recollection_fees: 0 }
    return computePlan(tx, app.partner_id, meaning!, terms).catch(error => error)
  })
  expect(refused).toMatchObject({
    code: 'request_invalid',
    extras: {
      faults: [
        {
          name: 'recollection_case_id',
          reason: 'covers 3001 loans and bills that are owed; a plan has room for 3000',
        },
      ],
    },
  })
})

test('the first debit is at least three banking days ahead', async () => {
  const { client } = app
  const { loan } = await caseOf(debited)
  const terms = { loan_ids: [loan.id], ...TERMS, start_date: '2027-02-01' }
  const debit = await client.computeInstallmentPlan(terms)
  expect(debit.installments[0]!.date).toBe('2027-02-04T00:00:00Z')
  const sct = await client.computeInstallmentPlan({ ...terms, repayment_method: 'SCT' })
  expect(sct.installments[0]!.date).toBe('2027-02-01T00:00:00Z')
})

test('faults of a preview are reported', async () => {
  const { client } = app
  const { loan } = await caseOf(paying)
  const terms = { loan_ids: [loan.id], ...TERMS }
  const wrong = (more: object) => reasons(client.computeInstallmentPlan({ ...terms, ...more }))
  expect(await wrong({ start_date: '2027-01-31' })).toEqual(['start_date is in the past'])
  for (const start_date of ['2040-01-01', '9999-12-31']) {
    expect(await wrong({ start_date })).toEqual([
      'start_date is after 2037-02-01, the latest possible start date',
    ])
  }
  expect(await wrong({ repayment_method: 'P2P' })).toEqual([
    'repayment_method is not possible: the borrower lets no wallet be debited',
  ])
  expect(await wrong({ repayment_method: 'DIRECT_DEBIT' })).toEqual([
    "repayment_method is not possible: the borrower's main account has no direct debit",
  ])
  expect(await wrong({ loan_ids: [] })).toEqual([
    'recollection_case_id name either a case, or loans and bills',
  ])
  expect(await wrong({ loan_ids: [newId()] })).toEqual(['loan_ids.0 is none of yours'])
  const other = await lend(app, debited, { amount: 1_000 })
  expect(await wrong({ loan_ids: [loan.id, other.id] })).toEqual([
    'loan_ids are of several borrowers',
  ])
  const tiny = await lend(app, paying, { amount: 2 })
  expect(await wrong({ loan_ids: [tiny.id], number_of_installment: 5 })).toEqual([
    'number_of_installment is more than there are cents to repay',
  ])
})

test('a plan is a draft, is scheduled soon after, and is unique per client reference', async () => {
  const { client } = app
  const { recollection_case_id } = await caseOf(paying)
  const computed = await client.computeRecollectionInstallmentPlan({
    recollection_case_id,
    ...TERMS,
  })
  const input = { recollection_case_id, ...computed, salt_id: 'plan-1' }
  const [first, again] = await Promise.all([
    client.createRecollectionInstallmentPlan(input),
    client.createRecollectionInstallmentPlan(input),
  ])
  expect(again.installment_plan_id).toBe(first.installment_plan_id)
  expect(first.recollection_case.strategies).toEqual([
    { id: first.installment_plan_id, is_active: true, strategy_type: 'INSTALLMENT_PLAN' },
  ])
  await app.drain()
  const repeated = await client.createRecollectionInstallmentPlan(input)
  expect(repeated).toMatchObject({ installment_plan_id: first.installment_plan_id })
  expect(repeated.status).toBe('SCHEDULED')
  const changed = client.createRecollectionInstallmentPlan({ ...input, is_contractual: true })
  expect(await refusal(changed)).toMatchObject({
    status: 409,
    code: 'duplicate_request',
    resource_id: first.installment_plan_id,
  })
  const { installment_plan_id } = first
  const mine = await client.getInstallmentPlan({ installment_plan_id })
  expect(mine.installments.map(i => i.amount)).toEqual(computed.installments.map(i => i.amount))
  const foreign = app.second.getInstallmentPlan({ installment_plan_id })
  expect((await refusal(foreign)).code).toBe('resource_unknown')
  expect((await app.second.listInstallments({})).data).toEqual([])
})

test('faults of a plan are reported', async () => {
  const { client } = app
  const { loan, recollection_case_id } = await caseOf(paying)
  const wrong = (body: object) =>
    reasons(
      client.createRecollectionInstallmentPlan({
        recollection_case_id,
        installments: byLoan(loan, 6_000, 6_000),
        repayment_method: 'SCT' as const,
        ...body,
      }),
    )
  expect(await wrong({ repayment_method: undefined })).toEqual(['repayment_method is required'])
  expect(await wrong({ payment_method: 'DIRECT_DEBIT' })).toEqual([
    'payment_method is not the same as repayment_method',
  ])
  const [one, two] = byLoan(loan, 6_000, 6_000)
  expect(await wrong({ installments: [{ ...one, amount: 6_001 }] })).toEqual([
    'installments.0.amount is not 6000, the sum of its loans, bills and recollection fees',
  ])
  expect(await wrong({ installments: [two, one] })).toEqual([
    'installments.1.date must be after the one before',
  ])
  expect(await wrong({ installments: [{ ...one, date: '2027-03-06' }] })).toEqual([
    'installments.0.date is not a banking day',
  ])
  expect(await wrong({ installments: [{ ...one, date: '2027-01-29' }] })).toEqual([
    'installments.0.date is before 2027-02-01, the first possible day',
  ])
  expect(await wrong({ installments: [{ ...one, date: '9999-12-31' }] })).toEqual([
    'installments.0.date is after 2127-02-01, the latest possible day',
  ])
  expect(await wrong({ installments: byLoan(loan, 20_000) })).toEqual([
    expect.stringMatching(/^installments pay \d+ cents more than loan .* owes by then$/),
  ])
  const { loan: other } = await caseOf(paying)
  expect(await wrong({ installments: byLoan(other, 6_000) })).toEqual([
    `installments loan ${other.id} is none of the case`,
  ])
  const fees = { ...one, amount: 6_100, recollection_fees: 100 }
  expect(await wrong({ installments: [fees], recollection_fees: 99 })).toEqual([
    'recollection_fees is not 100, the sum of those of the installments',
  ])
  expect(await wrong({ installments: [], recollection_fees: 99 })).toEqual([
    expect.stringMatching(/^installments /),
  ])
})

test('fees given only as a total are spread over the installments', async () => {
  const { loan, recollection_case_id } = await caseOf(paying)
  const { installment_plan_id } = await app.client.createRecollectionInstallmentPlan({
    recollection_case_id,
    installments: byLoan(loan, 6_000, 6_000),
    repayment_method: 'SCT',
    recollection_fees: 101,
  })
  const plan = await app.client.getInstallmentPlan({ installment_plan_id })
  expect(plan.installments.map(i => i.amount)).toEqual([6_050, 6_051])
  expect(plan.recollection_fees).toBe(101)
})

test('a plan for a closed case is refused', async () => {
  const { loan, recollection_case_id } = await caseOf(paying)
  await app.client.closeRecollectionCase({ recollection_case_id, reason: 'sold' })
  const input = { installments: byLoan(loan, 6_000), repayment_method: 'SCT' as const }
  const call = app.client.createRecollectionInstallmentPlan({ recollection_case_id, ...input })
  expect((await refusal(call)).code).toBe('state_conflict')
})

test('a plan without a case', async () => {
  const { client } = app
  const loan = await lend(app, debited, { amount: 12_000, days: 20 })
  const input = {
    installments: byLoan(loan, 6_000, 6_000).map(one => ({ ...one, reference: 'R-1' })),
    payment_method: 'DIRECT_DEBIT' as const,
    salt_id: 'alone',
  }
  const from_account = { account_number: paying.account_number }
  expect(await reasons(client.createInstallmentPlan({ ...input, from_account }))).toEqual([
    'from_account is not the main repayment account',
  ])
  const plan = await client.createInstallmentPlan({
    ...input,
    from_account: { account_number: debited.account_number },
  })
  expect(plan).toMatchObject({ recollection_case_id: null, loan_ids: [loan.id] })
  await app.drain()
  const [first] = await installmentsOf(app, plan.id)
  expect(first).toMatchObject({
    status: 'SCHEDULED',
    due_amount: 6_000,
    paid_amount: 0,
    last_repayment_date: null,
    from_account_detail: { account_number: debited.account_number },
    attempts: [{ amount: 6_000, status: 'SCHEDULED', scheduled_at: '2027-03-05T00:00:00Z' }],
  })
})

test('installments are found by each filter', async () => {
  const { client } = app
  const { loan, recollection_case_id } = await caseOf(debited)
  const { plan } = await planFor(app, recollection_case_id, TERMS)
  const days = async (query: object) => {
    const { data } = await client.listInstallments({ installment_plan_ids: [plan.id], ...query })
    return data.map(one => one.scheduled_at.slice(0, 10)).toSorted()
  }
  const all = ['2027-02-26', '2027-03-30', '2027-04-26']
  expect(await days({})).toEqual(all)
  expect(await days({ loan_ids: [loan.id] })).toEqual(all)
  expect(await days({ loan_ids: [newId()] })).toEqual([])
  expect(await days({ to_pay_at_gt: '2027-02-26' })).toEqual(all.slice(1))
  expect(await days({ to_pay_at_lt: '2027-03-30' })).toEqual(all.slice(0, 1))
  expect(await days({ paid_at_gt: '2027-01-01' })).toEqual([])
  expect(await days({ paid_at_lt: '2028-01-01' })).toEqual([])
  expect(await days({ updated_at_gt: '2027-01-01' })).toEqual(all)
  expect(await days({ updated_at_lt: '2027-01-01T00:00:00Z' })).toEqual([])
  const page = await client.listInstallments({ installment_plan_ids: [plan.id], page_size: 2 })
  expect(page).toMatchObject({ count: 2, total: 3 })
})
