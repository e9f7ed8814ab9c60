/** Queues mails to be sent. */
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'

export interface MailDraft {
  readonly subject: string
  readonly text: string
  readonly document_ids: readonly string[]
}

interface AddressedMail {
  readonly partner_id: string
  readonly recipients: readonly (string | null | undefined)[]
  readonly draft: MailDraft
  /** The attached bill, which counts as mailed once this mail has been sent. */
  readonly bill_id?: string
  /** The revenue share that the mail reports. */
  readonly revenue_share_id?: string
  /** The borrower that the mail is about: an alert names it if the mail is refused. */
  readonly borrower_id?: string | null
}

/** Queues each mail once for each of its recipients; skips missing addresses. */
export async function queueMails(tx: Tx, mails: readonly AddressedMail[]): Promise<void> {
  const rows = mails.flatMap(mail => rowsOf(tx, mail))
  tx.append('mails', rows)
  for (const { id: mail_id, partner_id } of rows) {
    enqueue(tx, 'send_mail', { partner_id, mail_id }, partner_id)
  }
}

function rowsOf(tx: Tx, mail: AddressedMail) {
  const { partner_id, recipients, draft } = mail
  const known = recipients.filter(r => r != null && r !== '') as string[]
  const unique = [...new Map(known.map(r => [r.toLowerCase(), r])).values()]
  return unique.map(recipient => ({
    id: tx.newId(),
    partner_id,
    recipient,
    subject: draft.subject,
    body: draft.text,
    document_ids: [...draft.document_ids],
    bill_id: mail.bill_id ?? null,
    revenue_share_id: mail.revenue_share_id ?? null,
    borrower_id: mail.borrower_id ?? null,
    created_at: tx.now,
  }))
}
