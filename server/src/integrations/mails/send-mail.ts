/** Sends one queued mail through the mail port. */
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { publishFact } from '../../facts.ts'
import { orLenders, type RowKey } from '../../platform/db/of-partner.ts'
import { type Database, transaction } from '../../platform/db/transaction.ts'
import { renderPending } from '../documents/index.ts'
import type { Mail } from '../ports/mail.ts'

interface Sent {
  bill_id: string | null
  /** Whether this is the first mail of the bill to be sent. */
  first: boolean
}

/** Sends a mail. Safe to repeat: a mail recorded as sent is not sent again. */
export async function sendMail({ database, ports }: Context, key: RowKey): Promise<void> {
  const { partner_id } = key
  const mail = await transaction(database, { partners: '*', read_only: true }, tx =>
    tx.maybe(sql<Omit<Mail, 'attachments'> & { document_ids: string[] }>`
      select id, recipient as to, subject, body as text, document_ids from mails
      where partner_id = ${partner_id} and id = ${key.id} and sent_at is null`),
  )
  if (!mail) return
  const { document_ids, ...letter } = mail
  const attachments = await attachmentsOf(database, partner_id, document_ids)
  await ports.mail.send({ ...letter, attachments })
  await transaction(database, { partners: '*', actor: 'service' }, async tx => {
    const sent = await tx.maybe(sql<Sent>`
      update mails m set sent_at = ${tx.now}
      where partner_id = ${partner_id} and id = ${key.id} and sent_at is null
      returning bill_id, not exists (select from mails o where o.partner_id = m.partner_id
        and o.bill_id = m.bill_id and o.sent_at is not null) as first`)
    if (!sent?.bill_id || !sent.first) return
    const { bill_id } = sent
    await publishFact(tx, 'bill_mailed', { partner_id, bill_id })
  })
}

/** The documents as files, rendered first if necessary. Most mails have none. */
async function attachmentsOf(
  database: Database,
  partner_id: string,
  document_ids: readonly string[],
): Promise<Mail['attachments']> {
  if (document_ids.length === 0) return []
  await renderPending(database, document_ids)
  return transaction(database, { partners: '*', read_only: true }, tx =>
    tx.all(sql<Mail['attachments'][number]>`
      select title || '.pdf' as filename, content from documents
      where ${orLenders(partner_id)} and id = any(${document_ids}::uuid[])`),
  )
}
