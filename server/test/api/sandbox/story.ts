/** Steps shared by the sandbox tests: creating borrowers and loans, and waiting for the bank. */
import type { Answer } from '@headroom/contract'
import type { Client, HeadroomProblem } from '@headroom/sdk'
import { expect } from 'vitest'
import { addDays, type Day, day } from '../../../src/platform/kit/dates.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { type TestApp, until } from '../../support/app.ts'

export type Borrower = Answer<'getBorrower'>
export type Loan = Answer<'getLoan'>

export async function today(client: Client): Promise<Day> {
  return day((await client.getSandboxClock()).business_date.slice(0, 10))
}

/** Creates a borrower from a generated company; by default it is signed and READY. */
export async function borrower(
  client: Client,
  { signed = true, country = 'FRA' as 'FRA' | 'DEU' } = {},
): Promise<Borrower> {
  const business = await client.generateSandboxBusiness({ country })
  const created = await client.createBorrower(business)
  if (!signed) return created
  const signed_at = new Date().toISOString()
  return client.signBorrower({ borrower_id: created.id, signed_at, wait_for_ready: true })
}

type Scenario = 'CANCEL' | 'FAIL' | 'REJECT' | 'SUCCESS' | 'SUCCESS_ONE_DAY_LATER'

/** Requests €500, by default from today for 30 days, to an account with the given scenario. */
export async function loan(
  client: Client,
  { identifier, identifier_type }: Borrower,
  options: { scenario?: Scenario; emails?: string[]; days?: number; starts_in?: number } = {},
): Promise<Loan> {
  const { scenario = 'SUCCESS', emails = [], days = 30, starts_in = 0 } = options
  const { iban, bank_identifier } = await client.generateSandboxIban({ scenario })
  const start = addDays(await today(client), starts_in)
  return client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 50_000,
    borrower: { identifier, identifier_type },
    loan_to: { account_number: iban, bank_identifier },
    to_pay_at: start,
    to_repay_at: addDays(start, days),
    auto_validate: true,
    salt_id: newId(),
    notification_emails: emails,
    wait_for_validation: true,
  })
}

export async function reaches(app: TestApp, { id }: Loan, status: string): Promise<Loan> {
  let seen = 'nothing'
  return until(async () => {
    const now = await app.client.getLoan({ loan_id: id })
    seen = now.status
    return now.status === status ? now : null
  }).catch(() => {
    throw new Error(`the loan is ${seen}, not ${status}`)
  })
}

/** The loan's sandbox bank instruction in that direction, or null. */
export async function findInstruction(client: Client, { id }: Loan, direction: 'IN' | 'OUT') {
  const { data } = await client.listSandboxBankInstructions({ direction })
  const found = data.filter(one => one.loan_ids.includes(id))
  expect(found.length).toBeLessThanOrEqual(1)
  return found[0] ?? null
}

/** Waits for the loan's instruction, which is submitted after the loan's status has changed. */
export function instructionOf(client: Client, of: Loan, direction: 'IN' | 'OUT') {
  return until(() => findInstruction(client, of, direction))
}

export async function refusal(call: Promise<unknown>): Promise<HeadroomProblem> {
  return call.then(
    () => {
      throw new Error('it was not refused')
    },
    problem => problem,
  )
}
