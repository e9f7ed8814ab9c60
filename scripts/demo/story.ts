/** What the chapters share: the sandbox, its clock and common steps. */
import type { Alpha3, Loan, Payment } from '@headroom/contract'
import { type Client, HeadroomProblem, type Input } from '@headroom/sdk'
import { expect, inWords, printStep, UnexpectedResult, until } from './output.ts'
import type { Receiver } from './receiver.ts'

export interface Story {
  readonly client: Client
  readonly agent: Client
  readonly base_url: string
  readonly receiver: Receiver
}

export async function today({ client }: Story): Promise<string> {
  return (await client.getSandboxClock()).business_date.slice(0, 10)
}

export function plusDays(day: string, days: number): string {
  const date = new Date(`${day.slice(0, 10)}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}

/** Advances the sandbox clock to the start of a day and prints it. */
export async function moveClockTo(story: Story, day: string): Promise<void> {
  const from = await today(story)
  if (day.slice(0, 10) <= from) return
  const { jobs_run } = await story.client.advanceSandboxClock({ to: day.slice(0, 10) })
  printStep(
    `… the clock moves from ${inWords(from)} to ${inWords(day)}; jobs run on the way: ${jobs_run}`,
  )
}

export function loanIn({ client }: Story, loan_id: string, status: Loan['status']): Promise<Loan> {
  return until(`the loan becomes ${status}`, async () => {
    const loan = await client.getLoan({ loan_id })
    return loan.status === status && loan
  })
}

/** The only payment of this type on a loan; throws if there is none or more than one. */
export async function paymentOf(
  { client }: Story,
  loan_id: string,
  type: Payment['payment_type'],
): Promise<Payment> {
  const { data } = await client.listPayments({ loan_id: [loan_id], payment_type: [type] })
  expect(`payments ${type} of the loan`, data.length, 1)
  return data[0]!
}

/** The problem that refuses a call; throws if the call succeeds or fails with another error. */
export async function refusal(what: string, call: Promise<unknown>): Promise<HeadroomProblem> {
  const found = await call.catch((error: unknown) => error)
  if (found instanceof HeadroomProblem) return found
  throw found instanceof Error ? found : new UnexpectedResult(`${what} was not refused`)
}

/**
 * Generates a company in the country, with all its data, that is not yet a borrower of the partner.
 */
export function generateCompany({ client }: Story, country: Alpha3) {
  return client.generateSandboxBusiness({ country })
}

export type GeneratedCompany = Awaited<ReturnType<typeof generateCompany>>

type LoanBody = Input<'createLoan'>

/** The body of a wallet loan to the company's own account. */
export function walletLoan(
  company: GeneratedCompany,
  input: { amount: number; from: string; days: number } & Partial<LoanBody>,
): LoanBody {
  const { amount, from, days, ...more } = input
  return {
    loan_type: 'WALLET_FINANCING',
    amount,
    borrower: { identifier: company.identifier, identifier_type: company.identifier_type },
    loan_to: { account_number: company.account_number },
    to_pay_at: from.slice(0, 10),
    to_repay_at: plusDays(from, days),
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
    ...more,
  }
}
