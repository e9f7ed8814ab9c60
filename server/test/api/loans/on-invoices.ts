/** Loan requests on invoices, for tests that declare an invoice first or send it in the request. */
import type { Input } from '@headroom/sdk'
import type { TestApp } from '../../support/app.ts'
import { invoiceLoan } from '../../support/invoice-loans.ts'
import { validInvoice } from '../../support/invoices.ts'
import { rowCounts } from '../../support/money.ts'
import { plusDays, readyBorrower, today } from '../../support/story.ts'

export type Request = Input<'createLoan'>
type InvoiceBody = NonNullable<Request['invoices']>[number]

/** A borrower that sells on invoice, and functions that build its requests for today. */
export async function lending(app: TestApp) {
  const borrower = await readyBorrower(app)
  const day = await today(app)
  const seller = { identifier: borrower.identifier }
  return {
    borrower,
    day,
    requestOf: (changes: Partial<Request> = {}) =>
      invoiceLoan(borrower, day, { to_repay_at: plusDays(day, 120), ...changes }),
    invoiceOf: async (changes: Parameters<typeof validInvoice>[0] = {}) =>
      app.client.createInvoice(await validInvoice({ seller, ...changes })),
    /** An invoice sent inside its loan request. */
    invoiceBody: async (changes: Partial<InvoiceBody> = {}) => {
      const { is_draft: _, ...invoice } = await validInvoice({ seller })
      return { ...invoice, ...changes } as InvoiceBody
    },
    /** Row counts, except that of stored responses, because every request stores one. */
    written: async () => {
      const { idempotency_keys: _, ...counts } = await rowCounts(app)
      return counts
    },
  }
}
