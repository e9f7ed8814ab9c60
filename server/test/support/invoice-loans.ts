/** Shared by stories about invoices under review and the loans waiting for them. */
import type { Input } from '@headroom/sdk'
import type { TestApp } from './app.ts'
import { pdfOf, validInvoice } from './invoices.ts'
import { plusDays, type ReadyBorrower, today } from './story.ts'

/** Declares a borrower's invoice, whose PDF has these lines. */
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

/** A request for a loan on invoices, paid out on `day`; by default for 60 days. */
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

/** Requests a loan on invoices that have accounts of their own, and waits for the decision. */
export async function lendOnInvoices(
  app: TestApp,
  borrower: ReadyBorrower,
  ...invoice_ids: string[]
) {
  const day = await today(app)
  return app.client.createLoan(invoiceLoan(borrower, day, { to_account: null, invoice_ids }))
}

/** The available balance of the borrower's line. */
export const availableOf = async ({ client }: TestApp, { identifier }: ReadyBorrower) =>
  (await client.listCreditLines({ borrower: [identifier] })).data[0]!.balance_available
