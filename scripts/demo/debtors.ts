/** Fifth chapter: two debtors that do not repay, and the plan by which one of them will. */
import type { RecollectionCase } from '@headroom/contract'
import {
  loanIn,
  type MadeUp,
  makeUpCompany,
  moveClockTo,
  plusDays,
  type Story,
  today,
  walletLoan,
} from './story.ts'
import { chapter, euros, expect, inWords, tell, until } from './telling.ts'

const OWED = { BEL: 240_000, NLD: 90_000 } as const
const DAYS = 7
/** A case opens by itself at day 18; the plan begins later. */
const DAYS_LATE = 19
const FEES = 3_000

/** A company that repays by transfer, and has drawn. */
async function debtor(story: Story, country: keyof typeof OWED): Promise<MadeUp> {
  const { client } = story
  const company = await makeUpCompany(story, country)
  const { identifier, identifier_type } = company
  const { id: borrower_id } = await client.createBorrower({ identifier, identifier_type })
  await client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })
  await client.addRepaymentMethod({
    borrower_id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  const from = await today(story)
  const wish = walletLoan(company, { amount: OWED[country], from, days: DAYS })
  const { id } = await client.createLoan(wish)
  await loanIn(story, id, 'TO_REPAY')
  return company
}

/** The case that the service has opened about a debtor. */
function caseOf({ client }: Story, { identifier }: MadeUp): Promise<RecollectionCase> {
  return until('the case opens', async () => {
    const { data } = await client.listRecollectionCases({ identifier })
    return data[0]
  })
}

export async function debtors(story: Story): Promise<void> {
  chapter('Two debtors that do not repay')
  const from = await today(story)
  const belgian = await debtor(story, 'BEL')
  const dutch = await debtor(story, 'NLD')
  tell(`${euros(OWED.BEL)} and ${euros(OWED.NLD)} are paid out for ${DAYS} days. Nothing comes in.`)
  await moveClockTo(story, plusDays(from, DAYS + DAYS_LATE))
  const { id } = await caseOf(story, belgian)
  const other = await caseOf(story, dutch)
  tell(
    'They were reminded on days 1, 5 and 10, and may not draw from day 5 on.',
    'On day 18 a recollection case was opened for each, with something to do next:',
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
  tell(
    `The Belgian company agrees on a plan of 3 installments, ${euros(sum)} in all`,
    `with interest to each day and ${euros(FEES)} of fees: ${parts.map(euros).join(', ')}`,
  )
}
