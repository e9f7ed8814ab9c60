/** Invoices that wait for one of the lender's people. */
import type { AdminHandlers } from '../context.ts'
import { reviewInvoice } from '../invoices/index.ts'

type Served = 'verifyInvoice' | 'declineInvoice' | 'askInvoiceEdit'

export const invoiceWork: Pick<AdminHandlers, Served> = {
  verifyInvoice: async (tx, { person, params }) => {
    await reviewInvoice(tx, person.operator_id, params.invoice_id, { trigger: 'verify' })
    return null
  },

  declineInvoice: async (tx, { person, params, body }) => {
    const finding = { trigger: 'decline' as const, reason: body.reason }
    await reviewInvoice(tx, person.operator_id, params.invoice_id, finding)
    return null
  },

  askInvoiceEdit: async (tx, { person, params, body }) => {
    const finding = { trigger: 'ask_edit' as const, to_edit: body.to_edit }
    await reviewInvoice(tx, person.operator_id, params.invoice_id, finding)
    return null
  },
}
