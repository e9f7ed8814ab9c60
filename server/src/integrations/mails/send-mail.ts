/** Sends one queued mail through the mail port. */
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { publishFact } from '../../facts.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { renderPending } from '../documents/index.ts'
import type { Mail } from '../ports/mail.ts'

interface Sent {
  partner_id: string | null
  bill_id: string | null
  /** Whether no other mail of the bill was sent before. */
  first: boolean
}

/** Safe to repeat: a mail recorded as sent is not sent again. */
export async function sendMail({ database, ports }: Context, mail_id: string): Promise<void> {
  const all = { partners: '*', read_only: true } as const
  const mail = await transaction(database, all, tx =>
    tx.maybe(sql<Omit<Mail, 'attachments'> & { document_ids: string[] }>`
      select id, recipient as to, subject, body as text, document_ids from mails
      where id = ${mail_id} and sent_at is null`),
  )
  if (!mail) return
  const { document_ids, ...letter } = mail
  await renderPending(database, document_ids)
  const attachments = await transaction(database, all, tx =>
    tx.all(sql<Mail['attachments'][number]>`
      select title || '.pdf' as filename, content from documents
      where id = any(${document_ids}::uuid[])`),
  )
  await ports.mail.send({ ...letter, attachments })
  await transaction(database, { partners: '*' }, async tx => {
    const sent = await tx.maybe(sql<Sent>`
      update mails m set sent_at = ${tx.now} where id = ${mail_id} and sent_at is null
      returning partner_id, bill_id, not exists (select from mails o
        where o.bill_id = m.bill_id and o.sent_at is not null) as first`)
    if (!sent?.partner_id || !sent.bill_id || !sent.first) return
    const { partner_id, bill_id } = sent
    await publishFact(tx, 'service', 'bill_mailed', { partner_id, bill_id })
  })
}
