/**
 * Lists the mails that were sent or refused, newest first, with their attachments. None of them has
 * left a sandbox without a real mail server.
 */
import type { Mail } from '@headroom/contract'
import { sql } from 'kysely'
import type { Handler } from '../context.ts'
import { orLenders } from '../platform/db/of-partner.ts'
import { newestFirst, readPage, viewPage } from '../platform/db/page.ts'
import type { Tx } from '../platform/db/transaction.ts'
import { assert } from '../platform/kit/assert.ts'
import { LENDER_ID } from '../platform/kit/ids.ts'

interface MailRow {
  id: string
  recipient: string
  subject: string
  body: string
  document_ids: string[]
  sent_at: Date | null
  refused_at: Date | null
  refused_because: string | null
  attached_bytes: number
}

interface DocumentRow {
  id: string
  title: string
  content: Buffer
}

export const listSandboxMailbox: Handler<'listSandboxMailbox'> = async (tx, call) => {
  const { to = null, page_size, cursor } = call.query
  const found = await readPage(
    tx,
    { path: call.path, page_size, cursor },
    newestFirst(sql.ref('m.id')),
    (where, key) => sql<MailRow>`
      select m.*, ${key}, (select coalesce(sum(octet_length(d.content)), 0)::int
          from documents d where d.partner_id in (m.partner_id, ${LENDER_ID})
            and d.id = any (m.document_ids)) as attached_bytes
      from mails m
      where m.partner_id = ${call.caller.partner_id} and ${where}
        and (m.sent_at is not null or m.refused_at is not null)
        and (${to}::text is null or lower(m.recipient) = lower(${to}))`,
    // Attachments are sent as base64, which is a third larger.
    ({ attached_bytes }) => (attached_bytes * 4) / 3,
  )
  const documents = await documentsOf(tx, call.caller.partner_id, found.data)
  return viewPage(found, mail => view(mail, documents))
}

async function documentsOf(
  tx: Tx,
  partner_id: string,
  mails: readonly MailRow[],
): Promise<Map<string, DocumentRow>> {
  const ids = [...new Set(mails.flatMap(mail => mail.document_ids))]
  if (ids.length === 0) return new Map()
  const rows = await tx.all(sql<DocumentRow>`
    select id, title, content from documents
    where ${orLenders(partner_id)} and id = any (${ids}::uuid[])`)
  return new Map(rows.map(row => [row.id, row]))
}

function view(mail: MailRow, documents: Map<string, DocumentRow>): Mail {
  const { id, recipient: to, subject, body: text, sent_at, refused_at, refused_because } = mail
  const attachments = mail.document_ids.map(document_id => {
    const document = documents.get(document_id)
    assert(document, `mail ${id} carries document ${document_id}, which is gone`)
    return {
      filename: `${document.title}.pdf`,
      media_type: 'application/pdf',
      size_bytes: document.content.length,
      content_base64: document.content.toString('base64'),
    }
  })
  return {
    id,
    to,
    subject,
    text,
    sent_at: sent_at?.toISOString() ?? null,
    refused_at: refused_at?.toISOString() ?? null,
    refused_because,
    attachments,
  }
}
