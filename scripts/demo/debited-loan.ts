/** Second chapter: a loan collected by direct debit, and its two bills. */
import type { Bill, Loan } from '@headroom/contract'
import {
  euros,
  expect,
  inWords,
  printChapter,
  printStep,
  UnexpectedResult,
  until,
} from './output.ts'
import {
  type GeneratedCompany,
  loanIn,
  moveClockTo,
  paymentOf,
  plusDays,
  type Story,
  today,
  walletLoan,
} from './story.ts'

const AMOUNT = 123_456
const DAYS = 45
/** 0.05 % a day on 1,234.56 € for 45 days, rounded once. */
const INTEREST = 2778

type Borrower = GeneratedCompany & { borrower_id: string }

/** Follows a loan from its preview to CLOSED; returns its id. */
export async function debitedLoan(story: Story, company: Borrower): Promise<string> {
  printChapter(`${euros(AMOUNT)} for ${DAYS} days, repaid by direct debit`)
  const from = await chooseDay(story, company)
  const loan_id = await request(story, company, from)
  await payOut(story, loan_id, from)
  const first = await firstBill(story, loan_id, from)
  await collect(story, loan_id, plusDays(from, DAYS))
  const second = await lastBill(story, loan_id, first.id)
  expect('the two bills together', first.to_pay_amount + second.to_pay_amount, INTEREST)
  const [one, two, both] = [first.to_pay_amount, second.to_pay_amount, INTEREST].map(euros)
  printStep(`The two bills add up: ${one} + ${two} = ${both}, to the cent.`)
  await showSteps(story, loan_id)
  return loan_id
}

/**
 * Picks a start in the first half of a month, from which 45 days end on a banking day. Two months
 * are then billed, and the debit falls on the due date. The preview confirms that date.
 */
async function chooseDay(story: Story, company: Borrower): Promise<string> {
  const { client } = story
  const start = await today(story)
  for (let ahead = 1; ahead <= 62; ahead++) {
    const from = plusDays(start, ahead)
    if (Number(from.slice(8)) > 15) continue
    const preview = await client.previewLoan(
      walletLoan(company, { amount: AMOUNT, from, days: DAYS }),
    )
    expect('the decision of the preview', preview.decision, 'APPROVED')
    if (preview.expected_repayment_at !== preview.to_repay_at) continue
    expect('the days of the preview', preview.days, DAYS)
    expect('the interest of the preview', preview.fees_estimated, INTEREST)
    const total = euros(preview.total_estimated!)
    printStep(
      `A preview writes nothing: paid out on ${inWords(from)}, it would be ${preview.decision},`,
      `debited on ${inWords(preview.expected_repayment_at)}, and cost ${euros(INTEREST)}:`,
      `${total} in all`,
    )
    return from
  }
  throw new UnexpectedResult('no day was found from which 45 days end on a banking day')
}

async function request(story: Story, company: Borrower, from: string): Promise<string> {
  const { client } = story
  const accounting = `accounting-${company.identifier}@partner.example`
  const body = walletLoan(company, {
    amount: AMOUNT,
    from,
    days: DAYS,
    notification_emails: [accounting],
  })
  const loan = await client.createLoan(body)
  expect('the decision', loan.status, 'VALIDATED')
  printStep('Requested with auto_validate, waiting for the decision: VALIDATED.')
  const scheduled = await loanIn(story, loan.id, 'SCHEDULED')
  const recipients = [accounting, company.directors[0]!.business_email!]
  for (const to of recipients) await contractMail(story, to)
  expect('the address of the contract', scheduled.contract_url?.includes('/document/'), true)
  printStep(`SCHEDULED, to be paid out on ${inWords(scheduled.to_pay_at)}.`)
  return loan.id
}

async function contractMail({ client }: Story, to: string): Promise<void> {
  const mail = await until(`a mail to ${to}`, async () => {
    const { data } = await client.listSandboxMailbox({ to })
    return data.find(found => found.attachments.length > 0)
  })
  const [contract] = mail.attachments
  expect('the kind of the contract', contract?.media_type, 'application/pdf')
  const size = `${Math.round(contract!.size_bytes / 1000)} kB`
  printStep(
    `Its contract is mailed to ${to}:`,
    `“${mail.subject}” with ${contract!.filename}, ${size}`,
  )
}

async function payOut(story: Story, loan_id: string, from: string): Promise<void> {
  await moveClockTo(story, from)
  const loan = await loanIn(story, loan_id, 'TO_REPAY')
  const payout = await paymentOf(story, loan_id, 'LOAN_PAYMENT')
  expect('the payout', [payout.status, payout.amount], ['PAID', AMOUNT])
  expect('the day of the payout', payout.paid_at?.slice(0, 10), from)
  printStep(
    `${euros(payout.amount)} are PAID to ${payout.to_account_details!.account_number}.`,
    `Interest counts from ${inWords(loan.paid_at)}. The loan is TO_REPAY.`,
  )
}

/** Ends the month: a bill is generated on the 1st, sent, debited and paid. */
async function firstBill(story: Story, loan_id: string, from: string): Promise<Bill> {
  await moveClockTo(story, nextMonth(from))
  const bill = await newestBill(story, loan_id)
  printStep(
    `Month's end: a bill of ${euros(bill.to_pay_amount)} for ${bill.lines[0]!.days} days,`,
    `due on ${inWords(bill.due_date)}`,
  )
  await moveClockTo(story, bill.due_date)
  return paidBill(story, loan_id, bill.id)
}

async function collect(story: Story, loan_id: string, due: string): Promise<void> {
  const { client } = story
  const payoff = await client.getLoanPayoff({ loan_id, on: due })
  expect(
    'the interest of 45 days',
    payoff.interest + (await paidInterest(story, loan_id)),
    INTEREST,
  )
  await moveClockTo(story, due)
  const loan = await loanIn(story, loan_id, 'TO_REPAY_FEES')
  const debit = await paymentOf(story, loan_id, 'REPAYMENT_NOMINAL')
  expect('the debit', [debit.status, debit.amount], ['PAID', AMOUNT])
  expect('the day of the debit', debit.paid_at?.slice(0, 10), due)
  expect('the interest in all', loan.fees_ongoing, INTEREST)
  printStep(
    `On ${inWords(due)} the principal of ${euros(AMOUNT)} is debited.`,
    `The loan is TO_REPAY_FEES: interest stands still at ${euros(INTEREST)}`,
  )
}

/** Bills the remaining interest at the end of this month, unless it has been billed already. */
async function lastBill(story: Story, loan_id: string, first_bill_id: string): Promise<Bill> {
  const billed = await newestBill(story, loan_id)
  if (billed.id === first_bill_id) await moveClockTo(story, nextMonth(await today(story)))
  const bill = await newestBill(story, loan_id)
  await moveClockTo(story, bill.due_date)
  const paid = await paidBill(story, loan_id, bill.id)
  const closed = await loanIn(story, loan_id, 'CLOSED')
  expect('the interest paid', closed.paid_interests_amount, INTEREST)
  expect('all that was repaid', closed.repaid_amount, AMOUNT + INTEREST)
  printStep(`The loan is CLOSED: ${euros(closed.repaid_amount)} came back.`)
  return paid
}

function nextMonth(day: string): string {
  return `${plusDays(`${day.slice(0, 7)}-28`, 4).slice(0, 7)}-01`
}

async function paidInterest({ client }: Story, loan_id: string): Promise<number> {
  return (await client.getLoan({ loan_id })).paid_interests_amount
}

async function billsOf({ client }: Story, loan_id: string): Promise<Bill[]> {
  const { data } = await client.listBills({})
  return data.filter(bill => bill.lines.some(line => line.loan_id === loan_id))
}

async function newestBill(story: Story, loan_id: string): Promise<Bill> {
  const [newest] = await billsOf(story, loan_id)
  if (!newest) throw new UnexpectedResult('the month ended without a bill for the loan')
  return newest
}

async function paidBill(story: Story, loan_id: string, bill_id: string): Promise<Bill> {
  const bill = await until('the bill is paid', async () => {
    const bills = await billsOf(story, loan_id)
    return bills.find(found => found.id === bill_id && found.status === 'PAID')
  })
  const { invoice_number, to_pay_amount, due_date } = bill
  printStep(
    `Bill ${invoice_number} of ${euros(to_pay_amount)} is debited on ${inWords(due_date)}: PAID.`,
  )
  return bill
}

async function showSteps({ client }: Story, loan_id: string): Promise<void> {
  const steps: Loan['status'][] = []
  for await (const event of client.each('listLoanEvents', { loan_id })) steps.push(event.status)
  const life: Loan['status'][] = [
    ...(['SUBMITTED', 'PENDING_VALIDATION', 'VALIDATED', 'SCHEDULED', 'INITIATED'] as const),
    ...(['TO_REPAY', 'TO_REPAY_FEES', 'CLOSED'] as const),
  ]
  expect('the life of the loan', steps, life)
  printStep('Its whole life:', steps.join(' → '))
}
