/** Writes the tables of referrers, except statuses, which `platform/db/move.ts` writes. */
import { type Insertable, type Selectable, sql } from 'kysely'
import { insertInto } from '../../platform/db/insert.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'

export type ReferrerRow = Selectable<DB['referrers']>
export type ShareRow = Selectable<DB['revenue_shares']>

export async function insertReferrer(
  tx: Tx,
  row: Insertable<DB['referrers']>,
  codes: readonly string[],
): Promise<void> {
  const { id: referrer_id, partner_id } = row
  await tx.run(insertInto('referrers', [row]))
  await tx.run(
    insertInto(
      'referral_codes',
      codes.map(code => ({ partner_id, code, referrer_id })),
    ),
  )
}

export async function insertReferral(tx: Tx, row: Insertable<DB['referrals']>): Promise<void> {
  await tx.run(sql`${insertInto('referrals', [row])}
    on conflict (partner_id, borrower_id) do nothing`)
}

/** Inserts the shares of a period; skips existing ones. Returns the ids of the inserted shares. */
export async function insertShares(
  tx: Tx,
  rows: readonly Insertable<DB['revenue_shares']>[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const inserted = await tx.all(sql<{ id: string }>`
    ${insertInto('revenue_shares', rows)}
    on conflict (partner_id, referrer_id, period_from) do nothing returning id`)
  return new Set(inserted.map(row => row.id))
}

export async function lockShareOfPayment(
  tx: Tx,
  payment: { readonly id: string; readonly partner_id: string },
): Promise<ShareRow | undefined> {
  return tx.maybe(sql<ShareRow>`
    select * from revenue_shares
    where partner_id = ${payment.partner_id} and payment_id = ${payment.id} for no key update`)
}

export async function setInvoice(
  tx: Tx,
  share: ShareRow,
  invoice: { document_id: string; payment_id: string },
): Promise<void> {
  await tx.run(sql`
    update revenue_shares set document_id = ${invoice.document_id},
      payment_id = ${invoice.payment_id}
    where partner_id = ${share.partner_id} and id = ${share.id}`)
}

/** Stores that no mail about the share was accepted. */
export async function setNotMailed(tx: Tx, share: ShareRow): Promise<void> {
  await tx.run(sql`
    update revenue_shares set emailed_at = null, emailed_to = '{}'
    where partner_id = ${share.partner_id} and id = ${share.id}`)
}

/** Unlinks an unsuccessful payment, so that the invoice can be uploaded again. */
export async function dropPayment(tx: Tx, share: ShareRow): Promise<void> {
  await tx.run(sql`
    update revenue_shares set payment_id = null
    where partner_id = ${share.partner_id} and id = ${share.id}`)
}
