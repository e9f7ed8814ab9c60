/** Fifth chapter: two borrowers that default, and an installment plan for one of them. */
import type { Loan, RecollectionCase } from '@headroom/contract'
import { euros, expect, inWords, printChapter, printStep, until } from './output.ts'
import {
  type GeneratedCompany,
  generateCompany,
  loanIn,
  moveClockTo,
  plusDays,
  type Story,
  today,
  walletLoan,
} from './story.ts'

const OWED = { BEL: 240_000, NLD: 90_000 } as const
const DAYS = 7
/** Cases open automatically on day 18 past due; a day later, a plan is agreed. */
const DAYS_LATE = 19
/** Sent on days 1, 5 and 10 past due, as the product defines. */
const REMINDERS = 3
const FEES = 3_000

interface Debtor extends GeneratedCompany {
  readonly borrower_id: string
  readonly email: string
  readonly loan: Loan
}

/** Creates a company that repays by transfer, has an email address and has drawn a loan. */
async function debtor(story: Story, country: keyof typeof OWED): Promise<Debtor> {
  const { client } = story
  const company = await generateCompany(story, country)
  const { identifier, identifier_type, directors } = company
  const created = await client.createBorrower({ identifier, identifier_type, directors })
  const borrower_id = created.id
  await client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })
  await client.addRepaymentMethod({
    borrower_id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  const from = await today(story)
  const input = walletLoan(company, { amount: OWED[country], from, days: DAYS })
  const { id } = await client.createLoan(input)
  const loan = await loanIn(story, id, 'TO_REPAY')
  return { ...company, borrower_id, email: directors[0]!.business_email!, loan }
}

/** The days on which the debtor was reminded of the loan, oldest first. */
async function remindedOn({ client }: Story, { email, loan }: Debtor): Promise<string[]> {
  const [reference] = loan.repayment_to_references
  const { data } = await client.listSandboxMailbox({ to: email })
  return data
    .flatMap(({ subject, sent_at }) => (sent_at && subject.includes(reference!) ? [sent_at] : []))
    .filter(sent_at => sent_at > loan.to_repay_at)
    .map(sent_at => sent_at.slice(0, 10))
    .sort()
}

/** Checks that the debtor was reminded and is blocked; returns its address and the dates. */
async function reminders(story: Story, debtor: Debtor): Promise<string> {
  const days = await remindedOn(story, debtor)
  expect(`reminders to ${debtor.email}`, days.length, REMINDERS)
  const { status } = await story.client.getBorrower({ borrower_id: debtor.borrower_id })
  expect('a debtor that is late', status, 'BLOCKED')
  return `${debtor.email} on ${days.map(inWords).join(', ')}`
}

function caseOf({ client }: Story, { identifier }: GeneratedCompany): Promise<RecollectionCase> {
  return until('the case opens', async () => {
    const { data } = await client.listRecollectionCases({ identifier })
    return data[0]
  })
}

export async function debtors(story: Story): Promise<void> {
  printChapter('Two debtors that do not repay')
  const from = await today(story)
  const belgian = await debtor(story, 'BEL')
  const dutch = await debtor(story, 'NLD')
  printStep(
    `${euros(OWED.BEL)} and ${euros(OWED.NLD)} are paid out for ${DAYS} days. Nothing comes in.`,
  )
  await moveClockTo(story, plusDays(from, DAYS + DAYS_LATE))
  const { id } = await caseOf(story, belgian)
  const other = await caseOf(story, dutch)
  printStep(
    'Each was reminded by e-mail three times, and is BLOCKED: it cannot draw.',
    await reminders(story, belgian),
    await reminders(story, dutch),
  )
  printStep(
    'A recollection case is open for each, with something to do next:',
    `“${other.next_action.action_name}”, due on ${inWords(other.next_action.due_at)}`,
  )
  await agreeOnPlan(story, id)
}

async function agreeOnPlan(story: Story, recollection_case_id: string): Promise<void> {
  const { client } = story
  const computed = await client.computeRecollectionInstallmentPlan({
    recollection_case_id,
    number_of_installment: 3,
    period: 'monthly',
    start_date: plusDays(await today(story), 14),
    recollection_fees: FEES,
    repayment_method: 'SCT',
  })
  const { installment_plan_id } = await client.createRecollectionInstallmentPlan({
    recollection_case_id,
    ...computed,
  })
  const plan = await until('the plan is SCHEDULED', async () => {
    const read = await client.getInstallmentPlan({ installment_plan_id })
    return read.status === 'SCHEDULED' && read
  })
  const parts = plan.installments.map(({ amount }) => amount)
  const sum = parts.reduce((total, part) => total + part, 0)
  expect('what the installments take of the loan', sum > OWED.BEL + FEES, true)
  printStep(
    `The Belgian company agrees on a plan of 3 installments, ${euros(sum)} in all`,
    `with interest to each day and ${euros(FEES)} of fees: ${parts.map(euros).join(', ')}`,
  )
}
