/** Books with some history, and the findings of their verification. */
import { expect } from 'vitest'
import { verifyBooksInTransaction } from '../../src/back-office/verification/verify.ts'
import type { Tx } from '../../src/platform/db/transaction.ts'
import type { Finding } from '../../src/platform/ledger/index.ts'
import type { TestApp } from '../support/app.ts'
import { appOn } from '../support/calendar.ts'
import { billsOf, lend, payIn } from '../support/money.ts'
import { sealBooks } from '../support/seal.ts'
import { readyBorrower } from '../support/story.ts'

export interface History {
  readonly app: TestApp
  /** Loan IDs. */
  readonly repaid: string
  readonly running: string
  readonly waiting: string
}

/** A repaid, a partly repaid and a pending loan, bills, planned debits and refunds, suspense. */
export async function createHistory(): Promise<History> {
  const app = await appOn('2027-01-29')
  const borrower = await readyBorrower(app, 'SCT')
  const repaid = await lend(app, borrower, { amount: 100_000, days: 20 })
  const running = await lend(app, borrower, { amount: 200_000, days: 20 })
  const debited = await readyBorrower(app)
  await lend(app, debited, { amount: 30_000, days: 1 })
  await lend(app, debited, { amount: 20_000, days: 40 })
  await lend(app, await readyBorrower(app, 'SCT'), { amount: 10_000, days: 40 })
  await app.client.advanceSandboxClock({ to: '2027-02-01' })
  await payIn(app, { to: running, amount: 50_000 })
  await payIn(app, { to: repaid, amount: 100_400 })
  await payIn(app, { to: running, amount: 777, reference: 'nothing that we know' })
  const [bill] = await billsOf(app, borrower)
  await payIn(app, { to: repaid, amount: 500, reference: bill!.payment.to_references[0]! })
  await app.client.advanceSandboxClock({ to: '2027-02-03' })
  const requested = await app.client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 40_000,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: '2027-02-10',
    to_repay_at: '2027-02-20',
    auto_validate: false,
    salt_id: crypto.randomUUID(),
  })
  await payIn(app, { to: repaid, amount: 300 })
  await sealBooks(app.context)
  expect(await app.verify()).toMatchObject({ findings: [], unsealed: 0 })
  return { app, repaid: repaid.id, running: running.id, waiting: requested.id }
}

export async function findings(tx: Tx): Promise<Finding[]> {
  return (await verifyBooksInTransaction(tx)).findings
}
