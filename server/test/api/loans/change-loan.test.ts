/** PATCH /loan in every status: the fields that can change, and the effects. */
import { expect } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import { calendar } from '../../support/calendar.ts'
import { declareInvoice } from '../../support/invoice-loans.ts'
import { type Loan, lend, lineOf, loanOf, payIn, paymentsOfType } from '../../support/money.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { readyBorrower } from '../../support/story.ts'
import { DAY, requestOf } from './request.ts'

const story = calendar(DAY)

async function eventsOf({ client }: TestApp, loan_id: string) {
  return (await client.listLoanEvents({ loan_id })).data
}

story('TO_VALIDATE: every field, and the reserved amount follows', async ({ app }) => {
  const borrower = await readyBorrower(app)
  const { id } = await app.client.createLoan(requestOf(borrower, { auto_validate: false }))
  const { iban } = await app.client.generateSandboxIban({ scenario: 'SUCCESS' })
  const changed = await app.client.changeLoan({
    loan_id: id,
    amount: 80_000,
    to_pay_at: '2027-01-18',
    to_repay_at: '2027-02-01',
    loan_to: { account_number: iban },
    loan_to_references: ['MY-REF'],
    repayment_to_references: ['THEIR-REF'],
    transfer_contract_url: 'https://example.org/contract.pdf',
    metadata: { a: 1 },
  })
  expect(changed).toMatchObject({
    status: 'TO_VALIDATE',
    amount: 80_000,
    to_pay_at: '2027-01-18T00:00:00Z',
    to_repay_at: '2027-02-01T00:00:00Z',
    contractual_repayment_date: '2027-02-01T00:00:00Z',
    loan_to: { account_number: iban },
    loan_to_references: ['MY-REF'],
    transfer_contract_url: 'https://example.org/contract.pdf',
    metadata: { a: 1 },
  })
  expect(changed.repayment_to_references.slice(1)).toEqual(['THEIR-REF'])
  expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 4_920_000 })
  await app.client.changeLoan({ loan_id: id, amount: 20_000 })
  expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 4_980_000 })
  const amended = (await eventsOf(app, id)).filter(e => e.transition_name === 'amend')
  expect(amended).toHaveLength(2)
  expect(amended[1]).toMatchObject({
    status: 'TO_VALIDATE',
    payload: { from_status: 'TO_VALIDATE', reason: 'amount 80000 → 20000' },
  })
})

story('a refused change has no effect', async ({ app }) => {
  const borrower = await readyBorrower(app)
  const { id } = await app.client.createLoan(requestOf(borrower, { auto_validate: false }))
  const before = await loanOf(app, id)
  const cases = [
    [{ amount: 5_000_001 }, 'AMOUNT_SUPERIOR_TO_AVAILABLE_BALANCE'],
    [{ to_repay_at: '2027-03-02' }, 'EXCESSIVE_DURATION_LOAN_REQUEST'],
  ] as const
  for (const [change, code] of cases) {
    const refused = await refusal(
      app.client.changeLoan({ loan_id: id, metadata: { b: 2 }, ...change }),
    )
    expect(refused).toMatchObject({ status: 409, code: 'change_refused' })
    expect(refused.message).toContain(code)
  }
  const other = await readyBorrower(app)
  const foreign = { account_number: other.account_number }
  expect(await refusal(app.client.changeLoan({ loan_id: id, loan_to: foreign }))).toMatchObject({
    code: 'change_refused',
  })
  expect(await faultsOf(app.client.changeLoan({ loan_id: id, to_pay_at: '2027-01-14' }))).toEqual({
    to_pay_at: 'is in the past',
  })
  expect(await faultsOf(app.client.changeLoan({ loan_id: id, to_repay_at: '2027-01-19' }))).toEqual(
    { to_repay_at: 'must not be before 2027-01-20' },
  )
  expect(await loanOf(app, id)).toEqual(before)
  expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 4_950_000 })
  expect(await eventsOf(app, id)).toHaveLength(3)
})

story('PENDING_VALIDATION: changed while KYB is under review', async ({ app }) => {
  const borrower = await readyBorrower(app)
  await app.client.setSandboxKyb({ borrower_id: borrower.id, status: 'REVIEWING' })
  const { id } = await app.client.createLoan(requestOf(borrower))
  const changed = await app.client.changeLoan({ loan_id: id, amount: 60_000 })
  expect(changed).toMatchObject({ status: 'PENDING_VALIDATION', amount: 60_000 })
  await app.client.setSandboxKyb({ borrower_id: borrower.id, status: 'APPROVED' })
  await app.drain()
  expect(await loanOf(app, id)).toMatchObject({ status: 'TO_REPAY', repaid_amount: 0 })
  const [payout] = await paymentsOfType(app, { id }, 'LOAN_PAYMENT')
  expect(payout).toMatchObject({ amount: 60_000, status: 'PAID' })
})

story('SCHEDULED: only references and the due date', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const input = requestOf(borrower, { to_pay_at: '2027-01-18', to_repay_at: '2027-01-28' })
  const { id } = await app.client.createLoan(input)
  await app.drain()
  expect((await loanOf(app, id)).status).toBe('SCHEDULED')
  const refused = await refusal(
    app.client.changeLoan({ loan_id: id, amount: 1, metadata: {}, to_repay_at: '2027-02-01' }),
  )
  expect(refused).toMatchObject({ status: 409, code: 'state_conflict' })
  expect(refused.invalid_params.map(p => p.name).sort()).toEqual(['amount', 'metadata'])
  const changed = await app.client.changeLoan({
    loan_id: id,
    loan_to_references: ['PAYOUT-7'],
    to_repay_at: '2027-02-01',
  })
  expect(changed).toMatchObject({
    to_repay_at: '2027-02-01T00:00:00Z',
    contractual_repayment_date: '2027-01-28T00:00:00Z',
  })
  await until('2027-01-19')
  const [payout] = await paymentsOfType(app, { id }, 'LOAN_PAYMENT')
  expect(payout).toMatchObject({ status: 'PAID', to_references: ['PAYOUT-7'] })
  const [debit] = await paymentsOfType(app, { id }, 'REPAYMENT_NOMINAL')
  expect(debit).toMatchObject({ scheduled_at: '2027-02-01T00:00:00Z' })
})

story('TO_REPAY: postponed once, and the debit moves with it', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  const put = (to_repay_at: string) => app.client.changeLoan({ loan_id: loan.id, to_repay_at })
  expect(await faultsOf(put('2027-03-02'))).toEqual({
    to_repay_at: 'must not be after 2027-03-01, 45 days after to_pay_at',
  })
  await put('2027-01-24')
  expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toMatchObject([
    { scheduled_at: '2027-01-25T00:00:00Z', status: 'SCHEDULED' },
  ])
  expect(await put('2027-02-06')).toMatchObject({
    to_repay_at: '2027-02-06T00:00:00Z',
    contractual_repayment_date: '2027-01-25T00:00:00Z',
  })
  expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toMatchObject([
    { scheduled_at: '2027-02-08T00:00:00Z', status: 'SCHEDULED' },
  ])
  expect(await refusal(put('2027-02-10'))).toMatchObject({
    status: 409,
    code: 'already_postponed',
  })
  const listed = await app.client.listLoans({ postponed: true, borrower: [borrower.identifier] })
  expect(listed.data.map(l => l.id)).toEqual([loan.id])
  // One mail each about the contract, the payout and the postponement.
  expect(await mailsAbout(app, loan)).toHaveLength(3)
  const amended = (await eventsOf(app, loan.id)).filter(e => e.transition_name === 'amend')
  expect(amended.map(e => e.payload.reason)).toEqual([
    'to_repay_at 2027-01-25 → 2027-01-24',
    'to_repay_at 2027-01-24 → 2027-02-06',
  ])
  await until('2027-02-09')
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_nominal_at: '2027-02-08T00:00:00Z' })
})

async function mailsAbout(app: TestApp, loan: Loan) {
  await app.drain()
  const { data } = await app.client.listSandboxMailbox({})
  return data.filter(mail => mail.subject.includes(loan.repayment_to_references[0]!))
}

story("TO_REPAY: three banking days' notice is enough, less is not", async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const free = await lend(app, borrower, { amount: 50_000, days: 24 })
  const frozen = await lend(app, borrower, { amount: 50_000, days: 21 })
  await until('2027-02-03')
  const put = (loan: Loan, change: object) => app.client.changeLoan({ loan_id: loan.id, ...change })
  for (const change of [{ to_repay_at: '2027-02-12' }, { repayment_method: 'SCT' }]) {
    expect(await refusal(put(frozen, change))).toMatchObject({ code: 'collection_frozen' })
  }
  await put(frozen, { metadata: { note: 'still free' } })
  expect(await put(free, { to_repay_at: '2027-02-10' })).toMatchObject({
    to_repay_at: '2027-02-10T00:00:00Z',
    earliest_to_repay_at: '2027-02-08T00:00:00Z',
  })
  expect((await loanOf(app, frozen.id)).metadata).toEqual({ note: 'still free' })
})

story('the cut-off is that of the product, for undecided loans too', async ({ app }) => {
  // The clock shows 9:00, so this loan misses the cut-off and its debit gets a later date.
  await app.context.database.pool.query(`
    update products set payout_cut_off = '08:00' where product_type = 'INVOICE_BASED_FINANCING'`)
  const borrower = await readyBorrower(app)
  const { id: invoice_id } = await declareInvoice(app, borrower, 'Facture')
  const undecided = { auto_validate: false, invoice_ids: [invoice_id] }
  const loan = await app.client.createLoan(
    requestOf(borrower, { ...undecided, loan_type: 'INVOICE_BASED_FINANCING' }),
  )
  const earliest = '2027-01-21T00:00:00Z'
  expect(loan).toMatchObject({ status: 'TO_VALIDATE', earliest_to_repay_at: earliest })
  const requested = (to_repay_at: string) =>
    app.client.changeLoan({ loan_id: loan.id, to_pay_at: DAY, to_repay_at })
  expect(await faultsOf(requested('2027-01-20'))).toEqual({
    to_repay_at: 'must not be before 2027-01-21',
  })
  expect((await requested('2027-01-21')).to_repay_at).toBe(earliest)
})

story('TO_REPAY: another method, and days past due count from the agreed date', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  const to = (repayment_method: 'SCT' | 'DIRECT_DEBIT') =>
    app.client.changeLoan({ loan_id: loan.id, repayment_method })
  expect(await to('SCT')).toMatchObject({ repayment_method: 'SCT', repayment_from: null })
  expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toMatchObject([
    { status: 'CANCELED' },
  ])
  expect((await to('DIRECT_DEBIT')).repayment_from?.account_number).toBeTruthy()
  await to('SCT')
  await app.client.changeLoan({ loan_id: loan.id, to_repay_at: '2027-02-01' })
  await until('2027-02-03')
  // Two days past the agreed due date is within the grace period; nine past the original is not.
  const more = await app.client.createLoan(
    requestOf(borrower, { to_pay_at: '2027-02-03', to_repay_at: '2027-02-20' }),
  )
  expect(more.status).not.toBe('DECLINED')
})

story('refused without any method of that kind', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  const requested = app.client.changeLoan({ loan_id: loan.id, repayment_method: 'DIRECT_DEBIT' })
  expect(await refusal(requested)).toMatchObject({ status: 409, code: 'change_refused' })
  // A transfer needs no notice, so the only fault is that the loan would be due on its payout date.
  const today = loan.paid_at!
  expect(await faultsOf(app.client.changeLoan({ loan_id: loan.id, to_repay_at: today }))).toEqual({
    to_repay_at: 'must be after to_pay_at',
  })
})

story('CLOSED and DECLINED: nothing, not even an empty change', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const closed = await lend(app, borrower, { amount: 10_000 })
  await payIn(app, { to: closed, amount: 10_000 })
  const declined = await app.client.createLoan(requestOf(borrower, { amount: 6_000_000 }))
  for (const { id } of [closed, declined]) {
    for (const change of [{}, { metadata: {} }, { to_repay_at: '2027-02-01' }]) {
      const refused = await refusal(app.client.changeLoan({ loan_id: id, ...change }))
      expect(refused).toMatchObject({ status: 409, code: 'state_conflict' })
    }
  }
})

story("an unknown loan, another partner's, or an unknown field", async ({ app }) => {
  const borrower = await readyBorrower(app)
  const { id } = await app.client.createLoan(requestOf(borrower, { auto_validate: false }))
  for (const send of [
    () => app.client.changeLoan({ loan_id: crypto.randomUUID(), amount: 1 }),
    () => app.second.changeLoan({ loan_id: id, amount: 1 }),
  ]) {
    expect(await refusal(send())).toMatchObject({ status: 404, code: 'resource_unknown' })
  }
  const wrong = { loan_id: id, amount: -1, colour: 'red', to_pay_at: 'soon' }
  expect(Object.keys(await faultsOf(app.client.changeLoan(wrong))).sort()).toEqual([
    'amount',
    'colour',
    'to_pay_at',
  ])
})
