/** Loans paid out into the borrower's wallet. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { instructionOf, lineOf, loanOf, paymentsOf, returnDebit } from '../support/money.ts'
import { plusDays, type ReadyBorrower, readyBorrower, today } from '../support/story.ts'

const story = calendar('2027-01-11')

async function walletOf({ client }: TestApp, { id }: { id: string }) {
  const { data } = await client.listWallets({ borrower_id: id })
  return data[0]!
}

async function lendInto(app: TestApp, borrower: ReadyBorrower, amount: number) {
  const wallet = await app.client.openWallet({ borrower_id: borrower.id })
  const day = await today(app)
  const { account_number, account_number_type } = wallet
  const loan = await app.client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number, account_number_type },
    to_pay_at: day,
    to_repay_at: plusDays(day, 30),
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
  })
  await app.drain()
  return loanOf(app, loan.id)
}

story('the payout arrives in the wallet; returned, it counts as never paid', async ({ app }) => {
  const borrower = await readyBorrower(app)
  const loan = await lendInto(app, borrower, 50_000)
  const wallet = await walletOf(app, borrower)
  expect(loan).toMatchObject({
    status: 'TO_REPAY',
    loan_to: { account_number: wallet.account_number, account_number_type: 'internal_id' },
  })
  expect(wallet.balance).toBe(50_000)
  const [payout] = await paymentsOf(app, loan)
  expect(payout).toMatchObject({ payment_type: 'LOAN_PAYMENT', status: 'PAID', amount: 50_000 })
  expect(await instructionOf(app, payout!)).toMatchObject({
    counterparty_iban: wallet.account_number,
    direction: 'OUT',
  })
  await returnDebit(app, payout!)
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED' })
  expect(await walletOf(app, borrower)).toMatchObject({ balance: 0 })
  expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 4_950_000 })
})
