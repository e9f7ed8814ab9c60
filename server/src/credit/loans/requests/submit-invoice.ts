/** Serves the resubmission of an invoice; waiting loans are decided by fresh registry data. */
import type { Prepared } from '../../../context.ts'
import { type InvoiceEdit, type ReadInvoice, submission } from '../../invoices/index.ts'
import { learnStandingsAgain, noteStandings, type Standing } from './standing.ts'

interface Learnt {
  readonly edit: InvoiceEdit
  readonly standings: readonly Standing[]
}

export const submitInvoice: Prepared<'submitInvoice', Learnt, ReadInvoice> = {
  read: submission.read,
  prepare: async (context, call) => {
    const edit = await submission.prepare(context, call)
    const { partner_id } = call.caller
    return { edit, standings: await learnStandingsAgain(context, partner_id, call.params) }
  },
  handle: (tx, call, context, { edit, standings }) => {
    noteStandings(tx, standings)
    return submission.handle(tx, call, context, edit)
  },
}
