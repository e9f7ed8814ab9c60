/** Sends one queued mail through the mail port. */
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { transaction } from '../db/transaction.ts'
import type { Mail } from '../ports/mail.ts'

/** Safe to repeat: a mail that was sent is not sent again. */
export async function sendMail({ database, ports }: Context, mail_id: string): Promise<void> {
  const mail = await transaction(database, { partners: '*', read_only: true }, async tx => {
    const row = await tx.maybe(sql<Mail & { document_ids: string[] }>`
      select id, recipient as to, subject, body as text, document_ids from mails
      where id = ${mail_id} and sent_at is null`)
    if (!row) return null
    const attachments = await tx.all(sql<Mail['attachments'][number]>`
      select title || '.pdf' as filename, content from documents
      where id = any(${row.document_ids}::uuid[])`)
    return { ...row, attachments }
  })
  if (!mail) return
  await ports.mail.send(mail)
  await transaction(database, { partners: '*' }, async tx => {
    await tx.run(sql`
      update mails set sent_at = ${tx.now} where id = ${mail_id} and sent_at is null`)
  })
}
