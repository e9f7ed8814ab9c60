/** Sends mail to borrowers, or to the partner's company if a borrower has no address. */
import type { Language } from '@headroom/contract'
import { sql } from 'kysely'
import { type MailDraft, queueMails } from '../../integrations/mails/index.ts'
import { haveKeys, keysBy, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** Where a borrower receives mail. */
export interface Contact {
  readonly borrower_id: string
  readonly name: string
  readonly preferred_language: Language
  /**
   * The borrower's own address, or else those of its partner's company; empty if there are none.
   */
  readonly emails: readonly string[]
  readonly is_own: boolean
}

export interface BorrowerMail {
  readonly borrower_id: string
  readonly partner_id: string
  readonly also: readonly string[]
  /** Drafts the mail once its recipient is known. */
  readonly draft: (reader: Contact) => MailDraft
}

export async function contactsOf(
  tx: Tx,
  borrowers: readonly RowKey[],
): Promise<ReadonlyMap<string, Contact>> {
  const rows = await tx.all(sql<Contact>`
    select b.id as borrower_id, b.name, b.preferred_language,
      b.business_email is not null as is_own,
      case when b.business_email is not null then array[b.business_email]
        else coalesce(c.emails, '{}') end as emails
    from borrowers b left join partner_companies c on c.partner_id = b.partner_id
    where ${haveKeys(borrowers, 'b')}`)
  return new Map(rows.map(row => [row.borrower_id, row]))
}

/** Queues the mails and returns the borrowers' contacts. */
export async function mailBorrowers(
  tx: Tx,
  mails: readonly BorrowerMail[],
): Promise<ReadonlyMap<string, Contact>> {
  const contacts = await contactsOf(tx, keysBy(mails, 'borrower_id'))
  await queueMails(
    tx,
    mails.map(({ borrower_id, partner_id, also, draft }) => {
      const reader = contacts.get(borrower_id)!
      const recipients = [...also, ...reader.emails]
      return { partner_id, borrower_id, recipients, draft: draft(reader) }
    }),
  )
  return contacts
}
