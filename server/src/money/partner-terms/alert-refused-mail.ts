/** Alerts operators to mails that the mail server refused. */
import { sql } from 'kysely'
import type { FactOf } from '../../facts.ts'
import { raiseAlert, updateAlert } from '../../platform/alerts/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/**
 * Raises one alert per borrower, or per partner for mails about no borrower. Its detail counts the
 * mails refused since it was last cleared. It stays until an operator clears it, because a
 * corrected address does not deliver the refused mails.
 */
export async function alertRefusedMail(
  tx: Tx,
  { partner_id, borrower_id, recipient, subject, reason }: FactOf<'mail_refused'>,
): Promise<void> {
  const subject_id = borrower_id ?? partner_id
  const about = borrower_id ? sql`m.borrower_id = ${borrower_id}` : sql`m.borrower_id is null`
  // Mails are refused concurrently. Raising the alert waits for the others, so that they count.
  await raiseAlert(tx, 'mail_refused', subject_id, reason)
  const { name, refused } = await tx.one(sql<{ name: string; refused: number }>`
    select coalesce(b.name, b.identifier, p.name) as name,
      (select count(*)::int from mails m
        where m.partner_id = ${partner_id} and ${about} and m.refused_at > coalesce(
          (select max(cleared_at) from alerts
            where kind = 'mail_refused' and subject_id = ${subject_id}), '-infinity')) as refused
    from partners p
    left join borrowers b on b.partner_id = ${partner_id} and b.id = ${borrower_id}
    where p.id = ${partner_id}`)
  const count = refused > 1 ? `${refused} mails were refused, most recently` : 'Refused:'
  const next = 'Correct the address, and inform the recipient in another way'
  const detail = `${name}. ${count} "${subject}" to ${recipient}: ${reason}. ${next}`
  await updateAlert(tx, 'mail_refused', subject_id, detail)
}
