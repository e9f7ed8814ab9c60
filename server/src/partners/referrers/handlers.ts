/** Serves the operations on referrers. */
import type { Handler, Inspected } from '../../context.ts'
import { faultsIn, problem } from '../../platform/kit/problem.ts'
import { findReferrerView, readShareView } from './queries.ts'
import { readPdf, uploadInvoice } from './upload-invoice.ts'

const getReferrer: Handler<'getReferrer'> = async (tx, { params, caller }) => {
  const view = await findReferrerView(tx, caller.partner_id, params.referrer_id)
  if (!view) throw problem('resource_unknown')
  return view
}

const uploadRevenueShareInvoice: Inspected<'uploadRevenueShareInvoice'> = {
  inspect: (_context, { body: { document_binary_base64: given } }) =>
    faultsIn(() => given && readPdf(given)),
  handle: async (tx, call) => {
    const { caller_id, partner_id } = call.caller
    await uploadInvoice(tx, caller_id, { partner_id, ...call.params }, call.body)
    return readShareView(tx, call.params.revenue_share_id)
  },
}

export const referrerHandlers = { getReferrer, uploadRevenueShareInvoice }
