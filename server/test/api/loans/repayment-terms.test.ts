/** PUT /loan/repayment-terms changes all loans or none; one transfer can then pay all of them. */
import { expect } from 'vitest'
import { calendar } from '../../support/calendar.ts'
import { lend, loanOf, payIn, paymentsOf, paymentsOfType } from '../../support/money.ts'
import { installmentsOf, openCase, planFor, transfer } from '../../support/recollection.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { readyBorrower } from '../../support/story.ts'

const story = calendar('2027-01-15')

const account = (account_number: string) => ({
  account_number,
  account_number_type: 'iban' as const,
  bank_identifier: '',
  bank_identifier_type: 'undefined' as const,
})

const sct = (loan_id: string, repayment_date: string) => ({
  loan_id,
  repayment_date,
  repayment_method: 'SCT' as const,
})

story("one transfer pays several borrowers' loans, oldest due first", async tale => {
  const { app, until } = tale
  const one = await readyBorrower(app, 'SCT')
  const debited = await readyBorrower(app)
  const late = await lend(app, one, { amount: 30_000, days: 30 })
  const early = await lend(app, debited, { amount: 20_000, days: 20 })
  const left = await lend(app, one, { amount: 10_000, days: 5 })
  const { data, count } = await app.client.setRepaymentTerms({
    repayment_terms: [
      {
        ...sct(late.id, '2027-02-12'),
        sct: { to_account: account(late.repayment_to.account_number) },
      },
      sct(early.id, '2027-02-10'),
    ],
  })
  expect(count).toBe(2)
  expect(data.map(l => [l.id, l.repayment_method, l.to_repay_at.slice(0, 10)])).toEqual([
    [late.id, 'SCT', '2027-02-12'],
    [early.id, 'SCT', '2027-02-10'],
  ])
  expect(await paymentsOfType(app, early, 'REPAYMENT_NOMINAL')).toMatchObject([
    { payment_method: 'DIRECT_DEBIT', status: 'CANCELED' },
  ])
  const [reference] = data[0]!.repayment_to_references.slice(1)
  expect(data[1]!.repayment_to_references[1]).toBe(reference)
  await until('2027-01-25')
  // Interest for ten days is 100 on the early loan and 150 on the late one.
  await payIn(app, { to: late, amount: 40_000, reference: reference! })
  expect(await loanOf(app, early.id)).toMatchObject({
    status: 'CLOSED',
    repaid_amount: 20_100,
  })
  expect(await loanOf(app, late.id)).toMatchObject({
    status: 'TO_REPAY',
    repaid_nominal_amount: 19_900,
  })
  expect((await loanOf(app, left.id)).repaid_amount).toBe(0)
  const [payment] = (await paymentsOf(app, late)).slice(-1)
  const repaid = payment!.related_to.loans.map(l => l.loan_id)
  expect(new Set(repaid)).toEqual(new Set([early.id, late.id]))
  const found = await app.client.listPayments({ references: [reference!] })
  expect(found.data.map(p => p.id)).toEqual([payment!.id])
})

story('by debit of another account, and a later reference replaces an earlier one', async tale => {
  const { app } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 30_000, days: 30 })
  const debit = (from: string) =>
    app.client.setRepaymentTerms({
      repayment_terms: [
        {
          loan_id: loan.id,
          repayment_date: '2027-02-15',
          repayment_method: 'DIRECT_DEBIT',
          direct_debit: { from_account: account(from) },
        },
      ],
    })
  const { iban } = await app.client.generateSandboxIban({ scenario: 'SUCCESS' })
  expect(await refusal(debit(iban))).toMatchObject({ status: 409, code: 'change_refused' })
  await debit(borrower.account_number)
  const references = []
  for (const day of ['2027-02-14', '2027-02-13']) {
    const { data } = await app.client.setRepaymentTerms({ repayment_terms: [sct(loan.id, day)] })
    references.push(data[0]!.repayment_to_references)
  }
  expect(references.map(r => r.length)).toEqual([2, 2])
  expect(references[0]![1]).not.toBe(references[1]![1])
  await payIn(app, { to: loan, amount: 30_000, reference: references[0]![1]! })
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
})

story('every fault is reported by its path, and nothing changes', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 30_000, days: 30 })
  const closed = await lend(app, borrower, { amount: 10_000, days: 30 })
  await payIn(app, { to: closed, amount: 10_000 })
  const { iban } = await app.client.generateSandboxIban({ scenario: 'SUCCESS' })
  const terms = [
    sct(loan.id, '2027-02-20'),
    sct(crypto.randomUUID(), '2027-02-20'),
    sct(loan.id, '2027-02-20'),
    sct(closed.id, '2027-02-20'),
  ]
  expect(await faultsOf(app.client.setRepaymentTerms({ repayment_terms: terms }))).toEqual({
    'repayment_terms.1.loan_id': 'is no loan of yours',
    'repayment_terms.2.loan_id': 'is named before, as repayment_terms.0',
    'repayment_terms.3.loan_id': 'is CLOSED: nothing to agree on',
  })
  const wrong = { ...sct(loan.id, '2027-03-20'), sct: { to_account: account(iban) } }
  expect(
    Object.keys(await faultsOf(app.client.setRepaymentTerms({ repayment_terms: [wrong] }))),
  ).toEqual(['repayment_terms.0.sct.to_account.account_number', 'repayment_terms.0.repayment_date'])
  expect(
    await faultsOf(app.client.setRepaymentTerms({ repayment_terms: [sct(loan.id, '2027-03-20')] })),
  ).toEqual({
    'repayment_terms.0.repayment_date': 'must not be after 2027-03-01, 45 days after to_pay_at',
  })
  const gone = app.client.setRepaymentTerms({ repayment_terms: [sct(closed.id, '2027-02-20')] })
  expect(await refusal(gone)).toMatchObject({ status: 409, code: 'state_conflict' })
  const foreign = app.second.setRepaymentTerms({ repayment_terms: [terms[0]!] })
  expect(await faultsOf(foreign)).toEqual({ 'repayment_terms.0.loan_id': 'is no loan of yours' })
  const after = await loanOf(app, loan.id)
  expect({ ...after, contract_url: null }).toEqual({ ...loan, contract_url: null })
})

story("a transfer for one partner's terms and another partner's installment", async tale => {
  const { app, until } = tale
  const theirs = { ...app, client: app.second }
  const own = await readyBorrower(app, 'SCT')
  const other = await readyBorrower(theirs, 'SCT')
  const late = await lend(app, own, { amount: 30_000, days: 5 })
  const loan = await lend(theirs, other, { amount: 20_000, days: 20 })
  const { data } = await app.second.setRepaymentTerms({
    repayment_terms: [sct(loan.id, '2027-02-10')],
  })
  await until('2027-01-25')
  const { id } = await openCase(app, own, { loan_ids: [late.id] })
  const { plan } = await planFor(app, id, {
    number_of_installment: 1,
    period: 'weekly',
    start_date: '2027-02-10',
  })
  const reference = `${data[0]!.repayment_to_references[1]} ${plan.reference}`
  await transfer(app, { reference, amount: 1_000, from_iban: own.account_number })
  expect((await installmentsOf(app, plan.id))[0]).toMatchObject({ paid_amount: 1_000 })
})
