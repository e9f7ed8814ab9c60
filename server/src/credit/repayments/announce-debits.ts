/** Pre-notification: mails borrowers about direct debits that have been instructed. */
import { sql } from 'kysely'
import { debitAnnouncedMail, type Language, lenderOf } from '../../integrations/documents/index.ts'
import { mailBorrowers } from '../../money/partner-terms/index.ts'
import type { PaymentRow } from '../../money/payments/index.ts'
import { haveKeys } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'

interface Announced {
  partner_id: string
  borrower_id: string
  payment_id: string
  debited: 'loan' | 'bill' | 'installment' | 'fee'
  reference: string
  mandate_reference: string
  debtor_iban: string
  recipient: string
  language: Language
  emails: string[]
}

/**
 * Announces debits of loans and monthly fees. Debits of bills and installments were announced with
 * the bill or plan; they are announced again only if they take place later than announced.
 */
export async function announceDebits(
  tx: Tx,
  { payments }: { payments: readonly PaymentRow[] },
): Promise<void> {
  const rows = await tx.all(sql<Announced>`
    select p.partner_id, p.borrower_id, p.id as payment_id,
      case when l.id is not null then 'loan' when i.id is not null then 'bill'
        when n.id is not null then 'installment' else 'fee' end as debited,
      coalesce(l.repayment_reference, i.invoice_number, n.reference, p.from_references[1])
        as reference,
      m.reference as mandate_reference, m.iban as debtor_iban,
      b.name as recipient, b.preferred_language as language,
      coalesce(l.notification_emails, '{}') as emails
    from payments p
    join mandates m on m.partner_id = p.partner_id and m.id = p.mandate_id
    join borrowers b on b.partner_id = p.partner_id and b.id = p.borrower_id
    left join loans l on l.partner_id = p.partner_id and l.id = p.loan_id
    left join bills i on i.partner_id = p.partner_id and i.id = p.bill_id
    left join plan_installments n on n.partner_id = p.partner_id and n.id = p.installment_id
    where ${haveKeys(payments, 'p')}
      and (l.id is not null or p.payment_type = 'SUBSCRIPTION'
        or p.scheduled_on > coalesce(i.due_on, n.due_on))
    order by p.id`)
  const { creditor_identifier } = tx.settings.lender
  const lender = lenderOf(tx.settings.lender)
  const mails = rows.map(({ partner_id, borrower_id, payment_id, emails: also, ...debit }) => {
    const payment = payments.find(p => p.id === payment_id)!
    const { amount, currency, scheduled_on: debit_on } = payment
    const facts = { ...debit, lender, amount, currency, debit_on, creditor_identifier }
    const draft = { ...debitAnnouncedMail(facts), document_ids: [] }
    return { partner_id, borrower_id, also, draft: () => draft }
  })
  await mailBorrowers(tx, mails)
}
