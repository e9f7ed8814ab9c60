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
}

/** Queues the same mail once for each recipient; skips missing addresses. */
export async function queueMails(
  tx: Tx,
  partner_id: string,
  recipients: readonly (string | null | undefined)[],
  draft: MailDraft,
): Promise<void> {
  await queueManyMails(tx, [{ partner_id, recipients, draft }])
}

export async function queueManyMails(tx: Tx, mails: readonly AddressedMail[]): Promise<void> {
  const rows = mails.flatMap(mail => rowsOf(tx, mail))
  tx.append('mails', rows)
  for (const { id: mail_id, partner_id } of rows) {
    enqueue(tx, 'send_mail', { partner_id, mail_id }, partner_id)
  }
}

function rowsOf(tx: Tx, { partner_id, recipients, draft, bill_id }: AddressedMail) {
  const known = recipients.filter(r => r != null && r !== '') as string[]
  const unique = [...new Map(known.map(r => [r.toLowerCase(), r])).values()]
  return unique.map(recipient => ({
    id: tx.newId(),
    partner_id,
    recipient,
    subject: draft.subject,
    body: draft.text,
    document_ids: [...draft.document_ids],
    bill_id: bill_id ?? null,
    created_at: tx.now,
  }))
}
