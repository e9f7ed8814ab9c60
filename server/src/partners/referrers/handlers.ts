/** Handlers of the operations on referrers. */
import type { CheckedHandler, Handler } from '../../context.ts'
import { findingsIn, problem } from '../../platform/kit/problem.ts'
import { findReferrerView, readShareView } from './queries.ts'
import { readPdf, uploadInvoice } from './upload-invoice.ts'

const getReferrer: Handler<'getReferrer'> = async (tx, { params, caller }) => {
  const view = await findReferrerView(tx, caller.partner_id, params.referrer_id)
  if (!view) throw problem('resource_unknown')
  return view
}

const uploadRevenueShareInvoice: CheckedHandler<'uploadRevenueShareInvoice', Buffer> = {
  check: (_tx, { body: { document_binary_base64: given } }) =>
    given === undefined ? { faults: [] } : findingsIn(() => readPdf(given)),
  handle: async (tx, { params, body, caller, meaning: content }) => {
    const { partner_id } = caller
    await uploadInvoice(tx, { partner_id, ...params }, { ...body, content })
    return readShareView(tx, partner_id, params.revenue_share_id)
  },
}

export const referrerHandlers = { getReferrer, uploadRevenueShareInvoice }
