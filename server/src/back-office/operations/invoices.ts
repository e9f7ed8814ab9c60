/** Back office: invoices that wait for review. */
import type { AdminHandlers } from '../../context.ts'
import { reviewInvoice } from '../../credit/invoices/index.ts'
import { refreshInvoiceRegistryStatuses, saveRegistryStatuses } from '../../credit/loans/index.ts'
import { transaction } from '../../platform/db/transaction.ts'

type Served = 'verifyInvoice' | 'declineInvoice' | 'askInvoiceEdit'

export const invoiceWork: Pick<AdminHandlers, Served> = {
  verifyInvoice: {
    orchestrate: async (context, { person, params: { invoice_id } }) => {
      // Loans waiting for the review are decided with the registry's current data.
      const statuses = await refreshInvoiceRegistryStatuses(context, invoice_id)
      await transaction(
        context.database,
        { partners: '*', actor: person.operator_id },
        async tx => {
          saveRegistryStatuses(tx, statuses)
          await reviewInvoice(tx, invoice_id, { trigger: 'verify' })
        },
      )
      return null
    },
  },

  declineInvoice: async (tx, { params, body }) => {
    const finding = { trigger: 'decline' as const, reason: body.reason }
    await reviewInvoice(tx, params.invoice_id, finding)
    return null
  },

  askInvoiceEdit: async (tx, { params, body }) => {
    const finding = { trigger: 'ask_edit' as const, to_edit: body.to_edit }
    await reviewInvoice(tx, params.invoice_id, finding)
    return null
  },
}
