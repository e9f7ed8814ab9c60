/**
 * What a line and its partner have lent and promised. All who change it lock in one order:
 * partner, line, then their own loans or cards.
 */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { note, tellAsRead } from '../events/index.ts'
import { assert } from '../kit/assert.ts'
import { creditLineViews } from './queries.ts'

export interface LineChange {
  readonly credit_line_id: string
  /** Cents added to (or, below zero, taken from) what is lent and what is promised. */
  readonly outstanding: bigint
  readonly reserved: bigint
  /** What of it cards cause: cleared and not lent yet (signed), and held. */
  readonly card_spent?: bigint
  readonly card_pending?: bigint
}

/**
 * Locks the partners and lines of borrowers, so that what is read of them stays true. What is sent
 * right after it, without waiting for it, is carried out after it all the same.
 */
export async function lockExposure(
  tx: Tx,
  partner_ids: readonly string[],
  borrower_ids: readonly string[],
): Promise<void> {
  const partners = tx.run(sql`
    select from partners where id = any(${partner_ids}::uuid[]) order by id for no key update`)
  const lines = tx.run(sql`
    select from credit_lines where borrower_id = any(${borrower_ids}::uuid[])
    order by id for no key update`)
  await Promise.all([partners, lines])
}

/** Applies changes to lines that are locked, and to their partners' exposure. */
export async function changeLines(tx: Tx, changes: readonly LineChange[]): Promise<void> {
  const real = changes.filter(
    c => c.outstanding !== 0n || c.reserved !== 0n || (c.card_spent ?? 0n) !== 0n,
  )
  if (real.length === 0) return
  const ids = [...new Set(real.map(c => c.credit_line_id))]
  const changed = await tx.run(sql`
    with change as (
      select id, sum(outstanding)::bigint as outstanding, sum(reserved)::bigint as reserved,
        sum(card_spent)::bigint as card_spent, sum(card_pending)::bigint as card_pending
      from unnest(${real.map(c => c.credit_line_id)}::uuid[],
        ${real.map(c => c.outstanding)}::bigint[], ${real.map(c => c.reserved)}::bigint[],
        ${real.map(c => c.card_spent ?? 0n)}::bigint[],
        ${real.map(c => c.card_pending ?? 0n)}::bigint[])
        as c (id, outstanding, reserved, card_spent, card_pending) group by id
    ), line as (
      update credit_lines l
      set outstanding = l.outstanding + c.outstanding, reserved = l.reserved + c.reserved,
        card_spent = l.card_spent + c.card_spent, card_pending = l.card_pending + c.card_pending
      from change c where l.id = c.id
      returning l.id, l.partner_id, c.outstanding + c.reserved as exposure
    ), partner as (
      update partners p set exposure = p.exposure + e.exposure
      from (select partner_id, sum(exposure)::bigint as exposure from line group by partner_id) e
      where p.id = e.partner_id
    )
    select from line`)
  assert(changed === ids.length, 'every changed line exists')
  for (const id of ids) note(tx, 'credit_line', id, 'CreditLine.BALANCE_UPDATED')
}

/** Reads lines whose balances change no more before the commit: they are told as they are now. */
export async function tellLines(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  for (const [id, view] of await creditLineViews(tx, [...new Set(ids)])) tellAsRead(tx, id, view)
}
