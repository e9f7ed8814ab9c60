/** Steps shared by many stories, such as creating borrowers and requesting loans. */
import type { Alpha3 } from '@headroom/contract'
import { generateIban } from '../../src/integrations/adapters/sandbox/generators.ts'
import type { TestApp } from './app.ts'

/** A borrower with everything a loan requires, repaying by direct debit or transfer. */
export async function readyBorrower(
  { client }: Pick<TestApp, 'client'>,
  method: 'DIRECT_DEBIT' | 'SCT' = 'DIRECT_DEBIT',
  country?: Alpha3,
) {
  const generated = await client.generateSandboxBusiness({ country, is_borrower: true })
  const { account_number, ...rest } = generated
  const payload = method === 'DIRECT_DEBIT' ? generated : { ...rest, bank_identifier: null }
  const created = await client.createBorrower(payload)
  await client.signBorrower({ borrower_id: created.id!, signed_at: new Date().toISOString() })
  if (method === 'SCT') {
    await client.addRepaymentMethod({
      borrower_id: created.id!,
      payment_method: 'SCT',
      is_default_repayment_method: true,
      apply_to_all_active_loans: false,
    })
  }
  const borrower = await client.getBorrower({ borrower_id: created.id! })
  return { ...borrower, id: borrower.id!, account_number: account_number! }
}

/** The borrower as the API returns it, plus the account number it was created with. */
export type ReadyBorrower = Awaited<ReturnType<typeof readyBorrower>>

/** Switches new and active loans to debits of another account, which `seed` selects. */
export async function debitElsewhere(
  { client }: Pick<TestApp, 'client'>,
  { id: borrower_id }: Pick<ReadyBorrower, 'id'>,
  seed: number,
): Promise<void> {
  await client.addRepaymentMethod({
    borrower_id,
    payment_method: 'DIRECT_DEBIT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: true,
    from_account: {
      account_number: generateIban('FRA', 'SUCCESS', seed),
      bank_identifier: 'BNPAFRPP',
    },
  })
}

/** Mails with this subject to a borrower's directors, oldest first. */
export async function mailsTo(
  { client }: Pick<TestApp, 'client'>,
  { id }: Pick<ReadyBorrower, 'id'>,
  subject: RegExp,
) {
  const { directors } = await client.getBorrower({ borrower_id: id })
  const addresses = new Set(directors!.map(director => director.business_email))
  const received = [...addresses].map(async to =>
    to ? (await client.listSandboxMailbox({ to, page_size: 500 })).data : [],
  )
  const mails = (await Promise.all(received)).flat()
  return mails.filter(mail => subject.test(mail.subject)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

export async function today({ client }: TestApp): Promise<string> {
  return (await client.getSandboxClock()).business_date.slice(0, 10)
}

export function plusDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/** Requests a wallet loan with payout today or in `pay_in` days, and waits for the decision. */
export async function requestLoan(
  app: TestApp,
  borrower: ReadyBorrower,
  input: {
    amount: number
    days?: number
    pay_in?: number
    salt_id?: string
    auto_validate?: boolean
  },
) {
  const day = plusDays(await today(app), input.pay_in ?? 0)
  return app.client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: input.amount,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: day,
    to_repay_at: plusDays(day, input.days ?? 30),
    auto_validate: input.auto_validate ?? true,
    wait_for_validation: true,
    salt_id: input.salt_id ?? crypto.randomUUID(),
  })
}
