/** Shows a bill as an invoice from the lender to its payer. Pure. */
import type { Bill } from '@headroom/contract'
import type { Settings } from '../../platform/db/settings.ts'
import { parisDay, wireDay } from '../../platform/kit/dates.ts'
import { collectionAccount, lightAccount } from '../../platform/kit/payment-account.ts'

export interface InvoicedBill {
  readonly document_id: string | null
  /** When the bill's PDF was stored; null if it has none yet. */
  readonly issued_at: Date | null
}

const STATUSES: Partial<Record<Bill['status'], 'PAID' | 'DELETED'>> = {
  PAID: 'PAID',
  INVALID: 'DELETED',
}

/**
 * Returns the bill as an invoice; null until it has a number and a PDF, whose id is the invoice's
 * id. The invoice is exempt from VAT.
 */
export function invoiceOf(settings: Settings, bill: Bill, facts: InvoicedBill): Bill['invoice'] {
  const { document_id, issued_at } = facts
  if (bill.invoice_number === null || !document_id || !issued_at) return null
  const { lender } = settings
  const amount = bill.lines.reduce((sum, line) => sum + line.amount, 0)
  const nobody = { business_id: null, id: null, vat_number: null }
  return {
    id: document_id,
    invoice_number: bill.invoice_number,
    status: STATUSES[bill.status] ?? 'VERIFIED',
    status_reason: null,
    is_draft: false,
    seller: {
      ...nobody,
      identifier: lender.registration,
      identifier_type: null,
      name: lender.name,
    },
    buyer: { ...nobody, ...bill.billed_business, business_id: bill.billed_borrower_id },
    currency: bill.currency,
    net_amount: amount,
    tax_amount: 0,
    total_amount: amount,
    to_pay_amount: bill.to_pay_amount,
    issued_at: wireDay(parisDay(issued_at)),
    due_at: bill.due_date,
    document_url: bill.document_url,
    to_edit: [],
    loan_ids: [...new Set(bill.lines.map(line => line.loan_id))],
    to_account_details: lightAccount(collectionAccount(lender)),
    metadata: {},
  }
}
