/** Raises and clears alerts. */
import { type RawBuilder, sql } from 'kysely'
import { insertInto } from '../db/insert.ts'
import type { Tx } from '../db/transaction.ts'

export type AlertKind =
  /** A payout, or a payment to the card processor, is waiting for cash. */
  | 'funding_short'
  /** The bank has a different order under the id of one that we sent. */
  | 'order_conflict'
  /** An unmatched payment or bank notification must be resolved. */
  | 'suspense'
  /** The return of an unmatched payment was ordered. */
  | 'suspense_sent_back'
  /** A refund is due but was not paid, for example because the payee's account is unknown. */
  | 'refund_waiting'
  /** Money that was refunded to a third party is owed again. */
  | 'refund_reclaimed'
  /** A card event was not booked: it has a fault, or waits for the transaction that it disputes. */
  | 'card_news_unfit'
  /**
   * A payment to the card processor failed, was returned, or had a different amount than ordered.
   */
  | 'processor_unpaid'
  /** A run of a business day failed, and later days wait until it succeeds. */
  | 'day_unfinished'
  /** The nightly check found errors in the books; the detail lists its findings. */
  | 'books_wrong'
  /**
   * A mail could not be sent to a borrower because it has no email address; the detail names anyone
   * who received the mail instead.
   */
  | 'borrower_without_email'
  /** The mail server refused mails about a borrower or, without one, mails of a partner. */
  | 'mail_refused'
  /**
   * A bill has no recipient, or every mail with it was refused. It waits until an operator releases
   * it.
   */
  | 'bill_unsent'
  /** The bank's folder or SFTP server cannot be reached. The subject is the nil id. */
  | 'bank_unreachable'
  /** An order for the bank, or a group of orders with this first one, cannot be put into a file. */
  | 'orders_unwritten'
  /** The bank's range of virtual IBANs for single loans is used up. The subject is the nil id. */
  | 'virtual_ibans_used_up'
  /** A file with orders cannot be delivered to the bank. */
  | 'order_file_undelivered'
  /** The bank reports of an account that is not one of the lender's. */
  | 'bank_account_unknown'
  /**
   * Cash has left one of the lender's accounts and not arrived on another for some days. The
   * subject is the nil id.
   */
  | 'cash_in_transit'
  /** A statement of the bank does not tie, so neither it nor its entries were booked. */
  | 'statement_refused'
  /** The bank sent a statement again with other content. */
  | 'statement_conflict'
  /** Statements of a bank account are missing between two others. */
  | 'statement_gap'
  /** Cash in the books differs from the bank's closing balance, on the last day of an account. */
  | 'tie_out_difference'
  /** The bank has sent no statement of an account for some banking days. */
  | 'bank_silent'
  /** A file from the bank cannot be read, or contradicts what the bank reported before. */
  | 'bank_file_unfit'

/** Raises an alert about a subject. If one of that kind is already open, updates its detail. */
export async function raiseAlert(
  tx: Tx,
  kind: AlertKind,
  subject_id: string,
  detail: string,
): Promise<void> {
  await raiseAlerts(tx, kind, [{ subject_id, detail }])
}

export async function raiseAlerts(
  tx: Tx,
  kind: AlertKind,
  about: readonly { subject_id: string; detail: string }[],
): Promise<void> {
  if (about.length === 0) return
  const rows = about.map(one => ({ id: tx.newId(), kind, ...one, raised_at: tx.now }))
  await tx.run(sql`
    ${insertInto('alerts', rows)}
    on conflict (kind, subject_id) where cleared_at is null do update
      set detail = excluded.detail where alerts.detail <> excluded.detail`)
}

export async function clearAlert(
  tx: Tx,
  kind: AlertKind,
  ...subject_ids: readonly string[]
): Promise<void> {
  await tx.run(sql`
    update alerts set cleared_at = ${tx.now}
    where kind = ${kind} and subject_id = any(${subject_ids}::uuid[]) and cleared_at is null`)
}

/** Clears every alert of a kind that was raised by `until`. Call it once their cause is gone. */
export async function clearAlertsUntil(tx: Tx, kind: AlertKind, until: Date): Promise<void> {
  await tx.run(sql`
    update alerts set cleared_at = ${tx.now}
    where kind = ${kind} and raised_at <= ${until} and cleared_at is null`)
}

/** Updates the detail of an open alert; has no effect if there is none. */
export async function updateAlert(
  tx: Tx,
  kind: AlertKind,
  subject_id: string,
  detail: string,
): Promise<void> {
  await tx.run(sql`
    update alerts set detail = ${detail}
    where kind = ${kind} and subject_id = ${subject_id} and cleared_at is null`)
}

export function isOpenFor(kind: AlertKind, subject_id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`exists (select from alerts where kind = ${kind} and subject_id = ${subject_id}
    and cleared_at is null)`
}

export function isOpen(kind: AlertKind): RawBuilder<boolean> {
  return sql`exists (select from alerts where kind = ${kind} and cleared_at is null)`
}
