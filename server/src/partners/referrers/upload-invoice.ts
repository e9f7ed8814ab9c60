/** Accepts the invoice of a revenue share and plans its payment. */
import { sql } from 'kysely'
import { storeDocuments } from '../../integrations/documents/index.ts'
import { schedulePayments } from '../../money/payments/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { onOrAfterTargetDay } from '../../platform/kit/calendar.ts'
import { addDays } from '../../platform/kit/dates.ts'
import { fundingAccount, ibanAccount } from '../../platform/kit/payment-account.ts'
import { invalid, problem } from '../../platform/kit/problem.ts'
import { type ReferrerRow, type ShareRow, setInvoice } from './store.ts'

const BYTES_MAX = 10_000_000
const DOCUMENT = 'document_binary_base64'

/**
 * Stores the PDF and plans the payment for the next banking day. Throws `resource_unknown`, or
 * `state_conflict` if the share is paid, deleted or has a pending payment.
 */
export async function uploadInvoice(
  tx: Tx,
  about: { partner_id: string; referrer_id: string; revenue_share_id: string },
  { document_name, content }: { document_name: string; content: Buffer },
): Promise<void> {
  const share = await tx.maybe(sql<ShareRow>`
    select * from revenue_shares
    where partner_id = ${about.partner_id} and id = ${about.revenue_share_id}
      and referrer_id = ${about.referrer_id} for no key update`)
  if (!share) throw problem('resource_unknown')
  if (share.status === 'PAID' || share.status === 'DELETED') {
    throw problem('state_conflict', `The revenue share is ${share.status}.`)
  }
  if (share.payment_id) throw problem('state_conflict', 'Its payment is under way.')
  const referrer = await tx.one(sql<ReferrerRow>`
    select * from referrers
    where partner_id = ${share.partner_id} and id = ${share.referrer_id}`)
  const document_id = tx.newId()
  await storeDocuments(tx, [
    {
      id: document_id,
      kind: 'INVOICE',
      partner_id: share.partner_id,
      language: 'en',
      title: document_name,
      content,
    },
  ])
  const [payment_id] = await schedulePayments(tx, [paymentOf(tx, share, referrer)])
  await setInvoice(tx, share, { document_id, payment_id: payment_id! })
}

function paymentOf(tx: Tx, share: ShareRow, referrer: ReferrerRow) {
  return {
    partner_id: share.partner_id,
    borrower_id: null,
    payment_type: 'REVENUE_SHARE',
    payment_method: 'SCT' as const,
    direction: 'OUT' as const,
    amount: share.amount,
    scheduled_on: onOrAfterTargetDay(addDays(tx.today, 1)),
    from_account: fundingAccount(tx.settings.lender),
    to_account: ibanAccount(referrer.iban, referrer.bic, referrer.name),
    to_references: [`REVENUE SHARE ${share.period_from} ${share.period_to}`],
  }
}

/**
 * Decodes the file. Throws `request_invalid` if it is too large or not a PDF. A PDF has its marker
 * within the first kilobyte (Adobe's PDF Reference 1.7, appendix H, note 13).
 */
export function readPdf(base64: string): Buffer {
  const content = Buffer.from(base64, 'base64')
  if (content.length > BYTES_MAX) {
    throw invalid({ name: DOCUMENT, reason: 'is larger than ten megabytes' })
  }
  if (!content.subarray(0, 1024).includes('%PDF-')) {
    throw invalid({ name: DOCUMENT, reason: 'is not a PDF' })
  }
  return content
}
