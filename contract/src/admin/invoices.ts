/** Invoices waiting for an operator's review. */
import { z } from 'zod'
import { DenialCode } from '../denial-codes.ts'
import { Id, text } from '../shared.ts'
import { adminTable } from './define.ts'

const ofInvoice = {
  method: 'POST',
  requires: 'reviewer',
  success: 204,
  params: z.object({ invoice_id: Id }),
  answer: z.null(),
  problems: ['state_conflict'],
} as const

export const invoiceWork = adminTable({
  verifyInvoice: {
    ...ofInvoice,
    path: '/admin/invoice/{invoice_id}/verify',
    summary: 'Verify an invoice: loans may be drawn on it',
  },
  declineInvoice: {
    ...ofInvoice,
    path: '/admin/invoice/{invoice_id}/decline',
    summary: 'Decline an invoice',
    body: z.strictObject({ reason: DenialCode }),
  },
  askInvoiceEdit: {
    ...ofInvoice,
    path: '/admin/invoice/{invoice_id}/ask-edit',
    summary: 'Ask the partner to correct fields of an invoice',
    body: z.strictObject({
      to_edit: z
        .array(z.strictObject({ name: text(100), reason: text(500) }))
        .min(1)
        .max(20),
    }),
  },
})
