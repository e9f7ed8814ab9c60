/** Mails a company the documents it signed: the terms, and the mandate if any. */
import { sql } from 'kysely'
import { type Language, lenderOf, termsSignedMail } from '../../integrations/documents/index.ts'
import { queueMails } from '../../integrations/mails/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { noteMailed, type OnboardingRow } from './store.ts'

interface Signed {
  name: string
  preferred_language: Language
  terms_id: string
  mandate_reference: string | null
  mandate_id: string | null
}

/** Queues the mail to the representative, in the borrower's language. */
export async function mailDocuments(
  tx: Tx,
  session: OnboardingRow,
  borrower_id: string,
): Promise<void> {
  const { partner_id, representative } = session
  const signed = await tx.one(sql<Signed>`
    select b.name, b.preferred_language, a.document_id as terms_id,
      m.reference as mandate_reference, m.document_id as mandate_id
    from borrowers b
    join terms_acceptances a on a.partner_id = b.partner_id and a.borrower_id = b.id
    left join mandates m on m.partner_id = b.partner_id and m.borrower_id = b.id
    where b.id = ${borrower_id} and b.partner_id = ${partner_id}`)
  const mail = termsSignedMail({
    language: signed.preferred_language,
    lender: lenderOf(tx.settings.lender),
    recipient: signed.name,
    mandate_reference: signed.mandate_reference,
  })
  const document_ids = [signed.terms_id, ...(signed.mandate_id ? [signed.mandate_id] : [])]
  await queueMails(tx, [
    {
      partner_id,
      borrower_id,
      recipients: [representative!.email],
      draft: { ...mail, document_ids },
    },
  ])
  await noteMailed(tx, session)
}
