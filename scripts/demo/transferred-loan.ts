/** Third chapter: a loan repaid early by two transfers, the second of which is too large. */

import { euros, expect, inWords, printChapter, printStep, until } from './output.ts'
import {
  generateCompany,
  loanIn,
  moveClockTo,
  paymentOf,
  plusDays,
  type Story,
  today,
  walletLoan,
} from './story.ts'

const AMOUNT = 50_000
const EARLY = 20_000
const REST = 40_000
/** 10 days on 500 € and 10 days on 300 €, at 0.05 % a day. */
const INTEREST = 250 + 150
const REFUND = EARLY + REST - AMOUNT - INTEREST

/** Returns the loan's id. */
export async function transferredLoan(story: Story): Promise<string> {
  printChapter(`${euros(AMOUNT)} for 30 days, repaid by transfer`)
  const { client } = story
  const company = await generateCompany(story, 'DEU')
  const { identifier, identifier_type, account_number } = company
  const { id: borrower_id } = await client.createBorrower({ identifier, identifier_type })
  await client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })
  await client.addRepaymentMethod({
    borrower_id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  printStep(`A German company, ${identifier}, signs and chooses to repay by transfer.`)

  const from = await today(story)
  const { id } = await client.createLoan(walletLoan(company, { amount: AMOUNT, from, days: 30 }))
  const loan = await loanIn(story, id, 'TO_REPAY')
  const { repayment_to, repayment_to_references } = loan
  const route = { to_iban: repayment_to.account_number, reference: repayment_to_references[0]! }
  printStep(
    `${euros(AMOUNT)} are paid out at once, to be repaid by ${inWords(loan.to_repay_at)}`,
    `to ${route.to_iban} with reference ${route.reference}`,
  )
  const send = (amount: number) =>
    client.createSandboxIncomingTransfer({ ...route, amount, from_iban: account_number })

  await moveClockTo(story, plusDays(from, 10))
  await send(EARLY)
  const part = await until('the first transfer is booked', async () => {
    const read = await client.getLoan({ loan_id: id })
    return read.repaid_nominal_amount > 0 && read
  })
  expect('principal repaid early', part.repaid_nominal_amount, EARLY)
  printStep(
    `Early and in part: after 10 days ${euros(EARLY)} come in.`,
    `${part.status}, rest 300.00 €`,
  )

  await moveClockTo(story, plusDays(from, 20))
  const payoff = await client.getLoanPayoff({ loan_id: id })
  expect('what pays it off', [payoff.principal, payoff.interest], [30_000, INTEREST])
  await send(REST)
  const closed = await loanIn(story, id, 'CLOSED')
  expect('the interest', closed.paid_interests_amount, INTEREST)
  printStep(
    `Too much: after 20 days ${euros(payoff.total)} would do, and ${euros(REST)} come in.`,
    `10 days of 500.00 € and 10 days of 300.00 € cost ${euros(INTEREST)}. The loan is CLOSED`,
  )
  await refund(story, id, account_number)
  return id
}

async function refund(story: Story, loan_id: string, account_number: string): Promise<void> {
  const planned = await paymentOf(story, loan_id, 'REFUND')
  expect('the refund', planned.amount, REFUND)
  await moveClockTo(story, planned.scheduled_at!)
  const sent = await until('the refund leaves', async () => {
    const payment = await paymentOf(story, loan_id, 'REFUND')
    return payment.status === 'PAID' && payment
  })
  expect('where it goes', sent.to_account_details?.account_number, account_number)
  printStep(`${euros(REFUND)} go back to where they came from on ${inWords(sent.paid_at)}.`)
}
