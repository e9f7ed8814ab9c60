/** Raises and clears alerts. */
import { type RawBuilder, sql } from 'kysely'
import { insertInto } from '../db/insert.ts'
import type { Tx } from '../db/transaction.ts'

export type AlertKind =
  /** A payout waits for cash in the funding account. */
  | 'funding_short'
  /** Money, or news of money, that fits nothing. */
  | 'suspense'
  /** Money in suspense went back to its sender, or nobody knows where to. */
  | 'suspense_sent_back'
  /** What is to be given back, to an account that nobody knows. */
  | 'refund_waiting'
  /** A refund that somebody other than the borrower got is principal of its loan again. */
  | 'refund_reclaimed'
  /** The card processor tells what cannot be meant, or is about nothing known: not booked. */
  | 'card_news_unfit'
  /** A payment to the card processor failed, came back, or was of another amount than ordered. */
  | 'processor_unpaid'
  /** A run of a business day fails, and the days after it wait. */
  | 'day_unfinished'
  /** The proof of the last night found the books wrong; the detail has its findings. */
  | 'books_wrong'
  /** A borrower to be reminded has no e-mail address; the detail says who was written to. */
  | 'borrower_without_email'
  /** A bill could be mailed to nobody, and waits until a person releases it. */
  | 'bill_unsent'

/** Raises an alert about a thing; one of that kind that is open tells the newer detail then. */
export async function raiseAlert(
  tx: Tx,
  kind: AlertKind,
  subject_id: string,
  detail: string,
): Promise<void> {
  await raiseAlerts(tx, kind, [{ subject_id, detail }])
}

/** The same about many things of one kind. */
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

/** The cause is gone. */
export async function clearAlert(
  tx: Tx,
  kind: AlertKind,
  ...subject_ids: readonly string[]
): Promise<void> {
  await tx.run(sql`
    update alerts set cleared_at = ${tx.now}
    where kind = ${kind} and subject_id = any(${subject_ids}::uuid[]) and cleared_at is null`)
}

/** The cause of all alerts of a kind that were raised until then is gone. */
export async function clearAlertsUntil(tx: Tx, kind: AlertKind, until: Date): Promise<void> {
  await tx.run(sql`
    update alerts set cleared_at = ${tx.now}
    where kind = ${kind} and raised_at <= ${until} and cleared_at is null`)
}

/** Tells what has changed of an alert that is open; without one nothing is told. */
export async function restateAlert(
  tx: Tx,
  kind: AlertKind,
  subject_id: string,
  detail: string,
): Promise<void> {
  await tx.run(sql`
    update alerts set detail = ${detail}
    where kind = ${kind} and subject_id = ${subject_id} and cleared_at is null`)
}

/** Whether any alert of a kind is open, as a part of a query. */
export function isOpen(kind: AlertKind): RawBuilder<boolean> {
  return sql`exists (select from alerts where kind = ${kind} and cleared_at is null)`
}
