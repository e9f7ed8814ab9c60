/** Fourth chapter: other outcomes of a loan request. */
import type { Loan } from '@headroom/contract'
import { euros, expect, printChapter, printStep, until } from './output.ts'
import {
  type GeneratedCompany,
  generateCompany,
  loanIn,
  plusDays,
  refusal,
  type Story,
  today,
  walletLoan,
} from './story.ts'

/** A company that has signed, with all its data, and whose KYB review is still open. */
async function underReview(story: Story, country: 'ESP' | 'NLD') {
  const { client } = story
  const company = await generateCompany(story, country)
  const { id: borrower_id } = await client.createBorrower(company)
  await client.setSandboxKyb({ borrower_id, status: 'REVIEWING' })
  const signed = await client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })
  expect('a borrower needs no KYB to be READY', signed.status, 'READY')
  return { ...company, borrower_id }
}

export async function otherOutcomes(story: Story): Promise<void> {
  printChapter('Other turns a request may take')
  const spanish = await underReview(story, 'ESP')
  await waitsForKyb(story, spanish)
  await isDeclined(story, spanish)
  await isValidatedByHandAndCanceled(story, spanish)
  await isRepeated(story, spanish)
  await failedPayout(story, spanish)
  await failsKyb(story)
}

async function waitsForKyb(
  story: Story,
  company: GeneratedCompany & { borrower_id: string },
): Promise<void> {
  const { client } = story
  const from = await today(story)
  const input = walletLoan(company, { amount: 80_000, from, days: 14 })
  const waiting = await client.createLoan(input)
  expect('a loan under review', waiting.status, 'PENDING_VALIDATION')
  printStep(`KYB under review: a request of ${euros(80_000)} waits as PENDING_VALIDATION.`)
  const approved = { borrower_id: company.borrower_id, status: 'APPROVED' } as const
  await client.setSandboxKyb(approved)
  await loanIn(story, waiting.id, 'TO_REPAY')
  printStep('KYB becomes APPROVED: the loan goes on by itself and is paid out, TO_REPAY.')
}

async function isDeclined(story: Story, company: GeneratedCompany): Promise<void> {
  const from = await today(story)
  const wishes: { amount: number; days: number; code: Loan['denial_reason'] }[] = [
    { amount: 10_000, days: 46, code: 'EXCESSIVE_DURATION_LOAN_REQUEST' },
    { amount: 6_000_000, days: 30, code: 'AMOUNT_SUPERIOR_TO_AVAILABLE_BALANCE' },
  ]
  for (const { amount, days, code } of wishes) {
    const loan = await story.client.createLoan(walletLoan(company, { amount, from, days }))
    expect('the refusal', [loan.status, loan.denial_reason], ['DECLINED', code])
    printStep(`${euros(amount)} for ${days} days: DECLINED, ${code}.`)
  }
}

async function isValidatedByHandAndCanceled(
  story: Story,
  company: GeneratedCompany,
): Promise<void> {
  const { client } = story
  const from = plusDays(await today(story), 7)
  const input = walletLoan(company, { amount: 10_000, from, days: 30, auto_validate: false })
  const { id: loan_id, status } = await client.createLoan(input)
  expect('without auto_validate', status, 'TO_VALIDATE')
  await client.validateLoan({ loan_id })
  await loanIn(story, loan_id, 'SCHEDULED')
  const canceled = await client.cancelLoan({ loan_id })
  expect('a canceled loan', canceled.status, 'CANCELED')
  printStep('Without auto_validate: TO_VALIDATE, validated, SCHEDULED, and canceled: CANCELED.')
}

async function isRepeated(story: Story, company: GeneratedCompany): Promise<void> {
  const { client } = story
  const input = walletLoan(company, { amount: 10_000, from: await today(story), days: 20 })
  const first = await client.createLoan(input)
  const again = await client.call('createLoan', input)
  expect('the repeated request', again.data.id, first.id)
  expect('it says so', again.headers.get('idempotent-replayed'), 'true')
  printStep('The same salt_id with the same content: the first loan again, never a second one.')
  const other = { ...input, amount: 20_000 }
  const refused = await refusal('the salt with other content', client.createLoan(other))
  expect('the problem', [refused.status, refused.code], [409, 'duplicate_request'])
  expect('it names the first loan', refused.resource_id, first.id)
  printStep('The same salt_id with another amount: 409 duplicate_request, naming the first loan.')
}

async function failedPayout(story: Story, company: GeneratedCompany): Promise<void> {
  const { client } = story
  const { iban } = await client.generateSandboxIban({ country: 'ESP', scenario: 'FAIL' })
  const from = await today(story)
  const loan_to = { account_number: iban }
  const loan = await client.createLoan(
    walletLoan(company, { amount: 10_000, from, days: 45, loan_to }),
  )
  await loanIn(story, loan.id, 'ISSUE_DETECTED')
  printStep('Paid to an account that the bank refuses: ISSUE_DETECTED, and never paid twice.')
}

async function failsKyb(story: Story): Promise<void> {
  const { client } = story
  const company = await underReview(story, 'NLD')
  const from = await today(story)
  const { id } = await client.createLoan(walletLoan(company, { amount: 10_000, from, days: 20 }))
  await client.setSandboxKyb({ borrower_id: company.borrower_id, status: 'REJECTED' })
  const declined = await until('the waiting loan is declined', async () => {
    const loan = await client.getLoan({ loan_id: id })
    return loan.status === 'DECLINED' && loan
  })
  expect('why', declined.denial_reason, 'BUSINESS_COMPLIANCE_ISSUE_DETECTED')
  printStep(`A Dutch company's KYB becomes REJECTED: its waiting loan is DECLINED.`)
}
