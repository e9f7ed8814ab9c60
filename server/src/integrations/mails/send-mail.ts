/** Sends one queued mail through the mail port. */
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { type FactOf, publishFact } from '../../facts.ts'
import { haveKeys, orLenders, type RowKey } from '../../platform/db/of-partner.ts'
import { type Database, type Tx, transaction } from '../../platform/db/transaction.ts'
import { renderPending } from '../documents/index.ts'
import type { Mail, MailOutcome } from '../ports/mail.ts'

/** The mail has no outcome yet. */
const IS_WAITING = sql<boolean>`sent_at is null and refused_at is null`

type OutcomeOf<S extends MailOutcome['state']> = Extract<MailOutcome, { readonly state: S }>

/**
 * Sends a mail and stores whether it was sent or refused; throws if that is unknown, so that the
 * job tries again. Safe to repeat: a mail with an outcome is not sent again.
 */
export async function sendMail({ database, ports }: Context, key: RowKey): Promise<void> {
  const { partner_id } = key
  const mail = await transaction(database, { partners: '*', read_only: true }, tx =>
    tx.maybe(sql<Omit<Mail, 'attachments'> & { document_ids: string[] }>`
      select id, recipient as to, subject, body as text, document_ids from mails
      where ${haveKeys([key], 'mails')} and ${IS_WAITING}`),
  )
  if (!mail) return
  const { document_ids, ...letter } = mail
  const attachments = await attachmentsOf(database, partner_id, document_ids)
  const outcome = await ports.mail.send({ ...letter, attachments })
  if (outcome.state === 'unknown') {
    throw new Error(`whether mail ${key.id} was sent is unknown: ${outcome.why}`)
  }
  await transaction(database, { partners: '*', actor: 'service' }, tx =>
    outcome.state === 'sent' ? recordSent(tx, key, outcome) : recordRefused(tx, key, outcome),
  )
}

interface Sent {
  bill_id: string | null
  /** Whether this is the first mail of the bill to be sent. */
  first: boolean
}

async function recordSent(tx: Tx, key: RowKey, { message_id }: OutcomeOf<'sent'>): Promise<void> {
  const sent = await tx.maybe(sql<Sent>`
    update mails m set sent_at = ${tx.now}, message_id = ${message_id}
    where ${haveKeys([key], 'm')} and ${IS_WAITING}
    returning bill_id, not exists (select from mails o where o.partner_id = m.partner_id
      and o.bill_id = m.bill_id and o.sent_at is not null) as first`)
  if (!sent?.bill_id || !sent.first) return
  const { bill_id } = sent
  await publishFact(tx, 'bill_mailed', { partner_id: key.partner_id, bill_id })
}

async function recordRefused(
  tx: Tx,
  key: RowKey,
  { message_id, reason }: OutcomeOf<'refused'>,
): Promise<void> {
  const refused = await tx.maybe(sql<FactOf<'mail_refused'>>`
    update mails set refused_at = ${tx.now}, refused_because = ${reason}, message_id = ${message_id}
    where ${haveKeys([key], 'mails')} and ${IS_WAITING}
    returning partner_id, borrower_id, bill_id, revenue_share_id, recipient, subject,
      refused_because as reason`)
  if (refused) await publishFact(tx, 'mail_refused', refused)
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
