/** Steps of stories about invoices and the loans that finance them. */
import type { Input } from '@headroom/sdk'
import type { TestApp } from './app.ts'
import { pdfOf, validInvoice } from './invoices.ts'
import { plusDays, type ReadyBorrower, today } from './story.ts'

/** Declares an invoice issued by a borrower, with these lines in its PDF. */
export async function declareInvoice(app: TestApp, borrower: ReadyBorrower, ...lines: string[]) {
  const day = await today(app)
  return app.client.createInvoice(
    await validInvoice({
      seller: { identifier: borrower.identifier },
      to_account: { account_number: borrower.account_number },
      issued_at: plusDays(day, -5),
      due_at: plusDays(day, 40),
      document: (await pdfOf(...lines)).toString('base64'),
    }),
  )
}

/** A request for an invoice loan of €500 with payout on `day`, due 60 days later by default. */
export function invoiceLoan(
  { identifier, account_number }: Pick<ReadyBorrower, 'identifier' | 'account_number'>,
  day: string,
  changes: Partial<Input<'createLoan'>>,
): Input<'createLoan'> {
  return {
    loan_type: 'INVOICE_BASED_FINANCING',
    amount: 50_000,
    borrower: { identifier },
    loan_to: { account_number },
    to_account: { account_number },
    to_pay_at: day,
    to_repay_at: plusDays(day, 60),
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
    ...changes,
  }
}

/** Requests a loan with payout today on invoices that state where to pay; awaits the decision. */
export async function lendOnInvoices(
  app: TestApp,
  borrower: ReadyBorrower,
  ...invoice_ids: string[]
) {
  const day = await today(app)
  return app.client.createLoan(invoiceLoan(borrower, day, { to_account: null, invoice_ids }))
}

/** Cents available on the borrower's credit line. */
export const availableOf = async ({ client }: TestApp, { identifier }: ReadyBorrower) =>
  (await client.listCreditLines({ borrower: [identifier] })).data[0]!.balance_available
