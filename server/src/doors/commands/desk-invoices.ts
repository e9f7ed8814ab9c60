/** What an operator does with invoices that wait: looks, verifies, declines, says which wait. */

import { type InvoiceFinding, reviewInvoice, waitingInvoices } from '../../credit/invoices/index.ts'
import { learnStandingsOn } from '../../credit/loans/index.ts'
import { INVOICE_REVIEWS, setInvoiceReview } from '../../platform/access/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Action, done } from './desk-action.ts'
import { readCode } from './desk-borrowers.ts'

const STATUS = { verify: 'VERIFIED', decline: 'DECLINED', ask_edit: 'TO_EDIT' } as const

export const INVOICE_ACTIONS: Record<string, Action> = {
  invoices: {
    usage: 'invoices',
    words: 0,
    asks: 'viewer',
    run: async tx => (await waitingInvoices(tx)).map(i => `${i.id}\t${i.invoice_number}`),
  },
  'verify-invoice': {
    usage: 'verify-invoice ID',
    words: 1,
    learn: (context, [id]) => learnStandingsOn(context, id!),
    run: (tx, actor, [id]) => review(tx, actor, id!, { trigger: 'verify' }),
  },
  'decline-invoice': {
    usage: 'decline-invoice ID CODE',
    words: 2,
    run: (tx, actor, [id, code]) =>
      review(tx, actor, id!, { trigger: 'decline', reason: readCode(code!) }),
  },
  'ask-invoice-edit': {
    usage: "ask-invoice-edit ID FIELD 'REASON'",
    words: 3,
    run: (tx, actor, [id, name, reason]) =>
      review(tx, actor, id!, { trigger: 'ask_edit', to_edit: [{ name: name!, reason: reason! }] }),
  },
  'review-invoices': {
    usage: `review-invoices PARTNER_ID ${INVOICE_REVIEWS.join('|')}`,
    words: 2,
    asks: 'admin',
    run: (tx, actor, [partner_id, which]) => {
      const found = INVOICE_REVIEWS.find(one => one === which)
      if (!found) throw new Error(`${which} is none of ${INVOICE_REVIEWS.join(', ')}`)
      return done(setInvoiceReview(tx, actor, partner_id!, found))
    },
  },
}

async function review(tx: Tx, actor: string, invoice_id: string, finding: InvoiceFinding) {
  await reviewInvoice(tx, actor, invoice_id, finding)
  return [`${invoice_id}\t${STATUS[finding.trigger]}`]
}
