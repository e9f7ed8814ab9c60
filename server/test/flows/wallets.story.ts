/** Loans paid out into the borrower's wallet. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import type { TestHouse } from '../support/house.ts'
import { instructionOf, lineOf, loanOf, paymentsOf, sendBack } from '../support/money.ts'
import { plusDays, type ReadyBorrower, readyBorrower, today } from '../support/story.ts'

const story = calendar('2027-01-11')

async function walletOf({ client }: TestHouse, { id }: { id: string }) {
  const { data } = await client.listWallets({ borrower_id: id })
  return data[0]!
}

async function lendInto(house: TestHouse, borrower: ReadyBorrower, amount: number) {
  const wallet = await house.client.openWallet({ borrower_id: borrower.id })
  const day = await today(house)
  const { account_number, account_number_type } = wallet
  const loan = await house.client.createLoan({
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
  await house.drain()
  return loanOf(house, loan.id)
}

story('the payout arrives in the wallet; returned, it counts as never paid', async ({ house }) => {
  const borrower = await readyBorrower(house)
  const loan = await lendInto(house, borrower, 50_000)
  const wallet = await walletOf(house, borrower)
  expect(loan).toMatchObject({
    status: 'TO_REPAY',
    loan_to: { account_number: wallet.account_number, account_number_type: 'internal_id' },
  })
  expect(wallet.balance).toBe(50_000)
  const [payout] = await paymentsOf(house, loan)
  expect(payout).toMatchObject({ payment_type: 'LOAN_PAYMENT', status: 'PAID', amount: 50_000 })
  expect(await instructionOf(house, payout!)).toMatchObject({
    counterparty_iban: wallet.account_number,
    direction: 'OUT',
  })
  await sendBack(house, payout!)
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED' })
  expect(await walletOf(house, borrower)).toMatchObject({ balance: 0 })
  expect(await lineOf(house, borrower)).toMatchObject({ balance_available: 4_950_000 })
})
