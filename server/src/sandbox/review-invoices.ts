/** Decides invoice reviews in place of the lender's operators. */
import type { Call, Handler, PreparedHandler } from '../context.ts'
import { findInvoice, type InvoiceFinding, reviewInvoice } from '../credit/invoices/index.ts'
import { refreshRegistryStatuses, saveRegistryStatuses } from '../credit/loans/index.ts'
import { setInvoiceReview } from '../platform/access/index.ts'
import type { Tx } from '../platform/db/transaction.ts'
import { problem } from '../platform/kit/problem.ts'

type Fetched = Awaited<ReturnType<typeof refreshRegistryStatuses>>

export const setSandboxInvoiceReview: Handler<'setSandboxInvoiceReview'> = async (tx, call) => {
  const { review } = call.body
  const { partner_id } = call.caller
  await setInvoiceReview(tx, partner_id, review)
  return { review }
}

/** Loans waiting for the review are decided with the registry's current data. */
export const reviewSandboxInvoice: PreparedHandler<'reviewSandboxInvoice', Fetched> = {
  prepare: (context, { params, caller }) =>
    refreshRegistryStatuses(context, caller.partner_id, params),
  handle: (tx, call, _context, fetched) => review(tx, call, fetched),
}

async function review(tx: Tx, call: Call<'reviewSandboxInvoice'>, fetched: Fetched) {
  const { invoice_id } = call.params
  const { partner_id } = call.caller
  const finding = findingOf(call.body)
  if (!(await findInvoice(tx, partner_id, invoice_id))) throw problem('resource_unknown')
  saveRegistryStatuses(tx, fetched)
  await reviewInvoice(tx.as('sandbox'), invoice_id, finding)
  return (await findInvoice(tx, partner_id, invoice_id))!
}

type ReviewBody = Call<'reviewSandboxInvoice'>['body']

function findingOf({ status, reason, to_edit }: ReviewBody): InvoiceFinding {
  if (status === 'VERIFIED') return { trigger: 'verify' }
  if (status === 'TO_EDIT') return { trigger: 'ask_edit', to_edit: to_edit! }
  return { trigger: 'decline', reason: reason! }
}
