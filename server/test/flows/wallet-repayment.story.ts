/** Loans and bills repaid by wallet debit, and changes of repayment method. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import {
  billsOf,
  instructionOf,
  lend,
  lendInParts,
  lineOf,
  loanOf,
  payIn,
  paymentsOf,
  paymentsOfType,
} from '../support/money.ts'
import { refusal } from '../support/refusal.ts'
import { plusDays, type ReadyBorrower, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

const P2P = 'P2P' as const

/** A borrower whose default method is wallet debit, and the wallet's account number. */
async function walletBorrower(app: TestApp, balance = 0) {
  const borrower = await readyBorrower(app, 'SCT')
  const { account_number } = await app.client.openWallet({ borrower_id: borrower.id })
  await debitWallet(app, borrower)
  if (balance > 0) await topUp(app, account_number, balance)
  return { borrower, wallet: account_number }
}

const debitWallet = (app: TestApp, { id }: { id: string }, apply_to_all_active_loans = false) =>
  app.client.addRepaymentMethod({
    borrower_id: id,
    payment_method: P2P,
    is_default_repayment_method: true,
    apply_to_all_active_loans,
  })

const topUp = (app: TestApp, to_iban: string, amount: number) =>
  app.client.createSandboxIncomingTransfer({ to_iban, amount })

async function balanceOf(app: TestApp, { id }: ReadyBorrower): Promise<number | null> {
  const { data } = await app.client.listWallets({ borrower_id: id })
  return data[0]!.balance
}

const debitsOf = (app: TestApp, loan: { id: string }) =>
  paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')

story('collected on the day, even a Sunday; the bill as well', async ({ app, until }) => {
  const { borrower, wallet } = await walletBorrower(app, 60_000)
  const loan = await lend(app, borrower, { amount: 50_000, days: 13 })
  expect(loan).toMatchObject({
    status: 'TO_REPAY',
    repayment_method: P2P,
    repayment_from: { account_number: wallet, account_number_type: 'internal_id' },
    earliest_to_repay_at: '2027-01-11T00:00:00Z',
  })
  expect(await debitsOf(app, loan)).toMatchObject([
    {
      status: 'SCHEDULED',
      payment_method: P2P,
      amount: 50_000,
      scheduled_at: '2027-01-24T00:00:00Z',
      from_account_details: { account_number: wallet },
    },
  ])
  await until('2027-01-23')
  expect(await balanceOf(app, borrower)).toBe(60_000)
  await until('2027-01-24')
  const [debit] = await debitsOf(app, loan)
  expect(debit).toMatchObject({ status: 'PAID', paid_at: '2027-01-24T00:00:00Z' })
  expect(await instructionOf(app, debit!)).toMatchObject({
    kind: 'SCT',
    direction: 'IN',
    counterparty_iban: wallet,
  })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    fees_ongoing: 325,
    repaid_nominal_amount: 50_000,
  })
  expect(await balanceOf(app, borrower)).toBe(10_000)
  // A wallet debit is final, so nothing stays reserved on the line.
  expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 5_000_000 })
  await until('2027-02-01')
  expect(await billsOf(app, borrower)).toMatchObject([
    { payment: { payment_method: P2P, status: 'SCHEDULED', amount: 325 } },
  ])
  await until('2027-02-03')
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'PAID', payment: { payment_method: P2P, status: 'PAID' } },
  ])
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
  expect(await balanceOf(app, borrower)).toBe(9_675)
})

story('too little in it: failed with a reason, and not retried', async ({ app, until }) => {
  const { borrower, wallet } = await walletBorrower(app, 49_999)
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  await until('2027-01-21')
  const failed = { status: 'FAILED', failure_reason: 'AM04', payment_method: P2P }
  expect(await debitsOf(app, loan)).toMatchObject([failed])
  expect(await balanceOf(app, borrower)).toBe(49_999)
  await topUp(app, wallet, 1)
  await until('2027-01-25')
  expect(await debitsOf(app, loan)).toMatchObject([failed])
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  // Moving the due date to today debits the wallet at once.
  await app.client.changeLoan({ loan_id: loan.id, to_repay_at: '2027-01-25' })
  await app.drain()
  expect(await debitsOf(app, loan)).toMatchObject([
    failed,
    { status: 'PAID', paid_at: '2027-01-25T00:00:00Z' },
  ])
  expect(await balanceOf(app, borrower)).toBe(0)
})

story('the due date requested again debits the wallet again', async ({ app, until }) => {
  const { borrower, wallet } = await walletBorrower(app)
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  const parts = await lendInParts(app, borrower, [
    [10_000, 10],
    [20_000, 20],
  ])
  await until('2027-01-21')
  const failed = { status: 'FAILED', failure_reason: 'AM04' }
  expect(await debitsOf(app, loan)).toMatchObject([failed])
  await topUp(app, wallet, 60_000)
  const same = { loan_id: loan.id, to_repay_at: '2027-01-21' }
  await app.client.changeLoan(same)
  await app.client.changeLoan({ loan_id: parts.id, repayment_method: P2P })
  await app.drain()
  const paid = { status: 'PAID', paid_at: '2027-01-21T00:00:00Z' }
  expect(await debitsOf(app, loan)).toMatchObject([failed, paid])
  expect(await debitsOf(app, parts)).toMatchObject([
    failed,
    { status: 'SCHEDULED', amount: 20_000 },
    { ...paid, amount: 10_000 },
  ])
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
  expect(await balanceOf(app, borrower)).toBe(0)
})

story('a failed direct debit cannot be repeated without enough notice', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  await until('2027-01-20')
  const [debit] = await debitsOf(app, loan)
  const { id: instruction_id } = await instructionOf(app, debit!)
  await app.client.rejectSandboxInstruction({ instruction_id, reason_code: 'MS02' })
  await app.drain()
  const change = (to_repay_at: string) => app.client.changeLoan({ loan_id: loan.id, to_repay_at })
  const refused = await refusal(change('2027-01-21'))
  expect(refused).toMatchObject({
    status: 422,
    invalid_params: [{ name: 'to_repay_at', reason: expect.stringContaining('2027-01-25') }],
  })
  await change('2027-01-25')
  expect((await debitsOf(app, loan)).map(one => one.status)).toEqual(['FAILED', 'SCHEDULED'])
  await until('2027-01-25')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
})

story('an overpayment is refunded to the wallet', async ({ app, until }) => {
  const { borrower } = await walletBorrower(app, 50_000)
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  await until('2027-01-21')
  expect(await balanceOf(app, borrower)).toBe(0)
  await payIn(app, { to: loan, amount: 50_000, value_date: '2027-01-20' })
  const refunds = await paymentsOfType(app, loan, 'REFUND')
  const refunded = refunds.filter(r => r.to_account_details?.account_number_type === 'internal_id')
  expect(refunded).toMatchObject([{ status: 'SCHEDULED', scheduled_at: '2027-01-22T00:00:00Z' }])
  await until('2027-01-22')
  expect(await balanceOf(app, borrower)).toBe(refunded[0]!.amount)
})

story('from debit to wallet, and on to transfer', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 50_000, days: 20 })
  const change = (repayment_method: 'DIRECT_DEBIT' | 'SCT' | 'P2P', to_repay_at?: string) =>
    app.client.changeLoan({
      loan_id: loan.id,
      repayment_method,
      to_repay_at: to_repay_at ?? null,
    })
  expect((await refusal(change(P2P))).code).toBe('change_refused')
  const { account_number: wallet } = await app.client.openWallet({ borrower_id: borrower.id })
  await debitWallet(app, borrower)
  expect(await loanOf(app, loan.id)).toMatchObject({ repayment_method: 'DIRECT_DEBIT' })
  expect(await change(P2P)).toMatchObject({
    repayment_method: P2P,
    repayment_from: { account_number: wallet },
    to_repay_at: loan.to_repay_at,
  })
  const sdd = { payment_method: 'DIRECT_DEBIT', status: 'CANCELED' }
  const p2p = { payment_method: P2P, status: 'SCHEDULED', scheduled_at: loan.to_repay_at }
  expect(await debitsOf(app, loan)).toMatchObject([sdd, p2p])
  expect(await change('SCT')).toMatchObject({ repayment_method: 'SCT', repayment_from: null })
  expect(await debitsOf(app, loan)).toMatchObject([sdd, { ...p2p, status: 'CANCELED' }])
  expect(await change('DIRECT_DEBIT')).toMatchObject({
    repayment_from: { account_number: borrower.account_number },
  })
  const [, , again] = await debitsOf(app, loan)
  // The loan is due on Sunday the 31st, so a direct debit settles on Monday.
  expect(again).toMatchObject({ status: 'SCHEDULED', scheduled_at: '2027-02-01T00:00:00Z' })
  await until('2027-01-28')
  expect((await refusal(change(P2P))).code).toBe('collection_frozen')
  await until('2027-02-01')
  expect((await debitsOf(app, loan))[2]).toMatchObject({ status: 'PAID' })
})

story(
  'a wallet debit can change until its day, and happens today on request',
  async ({ app, until }) => {
    const { borrower } = await walletBorrower(app, 80_000)
    const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
    const other = await lend(app, borrower, { amount: 30_000, days: 10 })
    await until('2027-01-20')
    // A wallet debit is not frozen even one day before the due date.
    const sct = await app.client.changeLoan({ loan_id: loan.id, repayment_method: 'SCT' })
    expect(sct).toMatchObject({ repayment_method: 'SCT', to_repay_at: loan.to_repay_at })
    const terms = { loan_id: other.id, repayment_date: '2027-01-20', repayment_method: P2P }
    await app.client.setRepaymentTerms({ repayment_terms: [terms] })
    await app.drain()
    expect(await debitsOf(app, other)).toMatchObject([{ status: 'PAID', amount: 30_000 }])
    await until('2027-01-21')
    expect(await debitsOf(app, loan)).toMatchObject([{ status: 'CANCELED' }])
    // The loan is due, so the wallet is debited as soon as P2P is chosen.
    await app.client.changeLoan({ loan_id: loan.id, repayment_method: P2P })
    await app.drain()
    expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
    expect(await balanceOf(app, borrower)).toBe(0)
  },
)

story("a transfer that becomes a debit leaves three days' notice", async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  await app.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: true,
  })
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  await until('2027-01-20')
  const changed = { loan_id: loan.id, repayment_method: 'DIRECT_DEBIT' as const }
  expect(await app.client.changeLoan(changed)).toMatchObject({ to_repay_at: loan.to_repay_at })
  expect(await debitsOf(app, loan)).toMatchObject([
    { status: 'SCHEDULED', scheduled_at: '2027-01-25T00:00:00Z' },
  ])
  await until('2027-01-25')
  expect(await debitsOf(app, loan)).toMatchObject([{ status: 'PAID' }])
})

story(
  'from wallet to debit: an imminent debit stays, the others and their bill change',
  async tale => {
    const { app, until } = tale
    const { borrower, wallet } = await walletBorrower(app, 10_000)
    const near = await lend(app, borrower, { amount: 10_000, days: 2 })
    const far = await lend(app, borrower, { amount: 20_000, days: 24 })
    await app.client.addRepaymentMethod({
      borrower_id: borrower.id,
      payment_method: 'DIRECT_DEBIT',
      is_default_repayment_method: true,
      apply_to_all_active_loans: true,
      from_account: { account_number: borrower.account_number, bank_identifier: 'AGRIFRPP' },
    })
    // A direct debit needs more notice than two days, so the sooner loan keeps its wallet debit.
    const [soon] = (await debitsOf(app, near)).filter(one => one.status === 'SCHEDULED')
    expect(soon).toMatchObject({ amount: 10_000 })
    expect(await loanOf(app, far.id)).toMatchObject({
      repayment_method: 'DIRECT_DEBIT',
      repayment_from: { account_number: borrower.account_number },
      to_repay_at: far.to_repay_at,
    })
    expect(await debitsOf(app, far)).toMatchObject([
      { payment_method: P2P, status: 'CANCELED', from_account_details: { account_number: wallet } },
      { payment_method: 'DIRECT_DEBIT', status: 'SCHEDULED', scheduled_at: far.to_repay_at },
    ])
    await until('2027-02-04')
    expect(await debitsOf(app, far)).toMatchObject([{ status: 'CANCELED' }, { status: 'PAID' }])
    expect(await debitsOf(app, near)).toContainEqual(
      expect.objectContaining({ status: 'PAID', amount: 10_000 }),
    )
    const bills = await billsOf(app, borrower)
    expect(bills.map(bill => bill.payment.payment_method)).toEqual(['DIRECT_DEBIT'])
    await until('2027-03-04')
    for (const { id } of [near, far]) expect((await loanOf(app, id)).status).toBe('CLOSED')
  },
)

story('chosen for all active loans it applies to those not frozen', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const { account_number } = await app.client.openWallet({ borrower_id: borrower.id })
  const near = await lend(app, borrower, { amount: 10_000, days: 3 })
  const far = await lend(app, borrower, { amount: 20_000, days: 12 })
  await debitWallet(app, borrower, true)
  expect(await loanOf(app, near.id)).toMatchObject({ repayment_method: 'DIRECT_DEBIT' })
  expect(await loanOf(app, far.id)).toMatchObject({ repayment_method: P2P })
  expect(await paymentsOf(app, far)).toMatchObject([
    { payment_type: 'LOAN_PAYMENT' },
    { payment_method: 'DIRECT_DEBIT', status: 'CANCELED' },
    { payment_method: P2P, status: 'SCHEDULED' },
  ])
  const { data } = await app.client.listLoanEvents({ loan_id: far.id })
  expect(JSON.stringify(data)).toContain('P2P')
  await topUp(app, account_number, 20_000)
  await until('2027-01-25')
  for (const { id } of [near, far]) {
    expect(await loanOf(app, id)).toMatchObject({ status: 'TO_REPAY_FEES' })
  }
})

story('an open bill follows the default method', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 50_000 })
  await until('2027-02-04')
  expect(await billsOf(app, borrower)).toMatchObject([{ payment: { payment_method: 'SCT' } }])
  const { account_number } = await app.client.openWallet({ borrower_id: borrower.id })
  await topUp(app, account_number, 1_000)
  await debitWallet(app, borrower)
  await app.drain()
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'PAID', payment: { payment_method: P2P, status: 'PAID', amount: 250 } },
  ])
  expect(await balanceOf(app, borrower)).toBe(750)
})

story('installments are debited from the wallet, each on its date', async ({ app, until }) => {
  const { borrower } = await walletBorrower(app, 30_000)
  const loan = await app.client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 30_000,
    auto_validate: true,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: '2027-01-11',
    to_repay_at: '2027-01-31',
    salt_id: crypto.randomUUID(),
    installment_plan_type: 'INSTALLMENTS',
    installments: [10, 20].map(days => ({ amount: 15_000, date: plusDays('2027-01-11', days) })),
  })
  await app.drain()
  await until('2027-01-21')
  expect(await balanceOf(app, borrower)).toBe(15_000)
  await until('2027-01-31')
  expect(await balanceOf(app, borrower)).toBe(0)
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
})

story('a surplus from an unknown payer waits, and raises an alert', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  await until('2027-01-12')
  await payIn(app, { to: loan, amount: 60_000, from_iban: null })
  const [paid] = await debitsOf(app, loan)
  expect(paid!.reason).toBe('€99.75 overpaid cannot be refunded: payer account unknown.')
  expect(await paymentsOfType(app, loan, 'REFUND')).toEqual([])
  const { data } = await app.client.listWebhookEvents({ type: ['Payment.PAID'], page_size: 500 })
  const { id, reason } = paid!
  expect(data.map(event => event.data)).toContainEqual(expect.objectContaining({ id, reason }))
})
