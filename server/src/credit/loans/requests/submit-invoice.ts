/** Serves the submission of an invoice. Waiting loans are decided with fresh registry data. */
import type { PreparedHandler } from '../../../context.ts'
import { type InvoiceEdit, type ReadInvoice, submission } from '../../invoices/index.ts'
import {
  type RegistryStatus,
  refreshRegistryStatuses,
  saveRegistryStatuses,
} from './registry-status.ts'

interface Fetched {
  readonly edit: InvoiceEdit
  readonly statuses: readonly RegistryStatus[]
}

export const submitInvoice: PreparedHandler<'submitInvoice', Fetched, ReadInvoice> = {
  read: submission.read,
  prepare: async (context, call) => {
    const edit = await submission.prepare(context, call)
    const { partner_id } = call.caller
    return { edit, statuses: await refreshRegistryStatuses(context, partner_id, call.params) }
  },
  handle: (tx, call, context, { edit, statuses }) => {
    saveRegistryStatuses(tx, statuses)
    return submission.handle(tx, call, context, edit)
  },
}
