/**
 * Kill switches, which stop payments at once. One operator activates a switch; only another can
 * deactivate it.
 */
import { type Selectable, sql } from 'kysely'
import { readPartnerName, recordAudit } from '../../platform/access/index.ts'
import { lockExclusive } from '../../platform/db/locks.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import { addDays } from '../../platform/kit/dates.ts'
import { LENDER_ID } from '../../platform/kit/ids.ts'
import { problem } from '../../platform/kit/problem.ts'
import { debitsUntil } from './dates.ts'
import { sendUnsent } from './held-payments.ts'
import { insertSwitch, setDeactivated } from './store.ts'

/** What a switch stops: all payouts, all debits, or one partner's lending. */
export type Switch =
  | { readonly kind: 'payouts' | 'collections'; readonly partner_id: typeof LENDER_ID }
  | { readonly kind: 'partner'; readonly partner_id: string }

export type ActiveSwitch = Selectable<DB['kill_switches']>

/**
 * Activates a switch. Throws `state_conflict` if it is already active, and `resource_unknown` if
 * there is no such partner.
 */
export async function activateSwitch(
  tx: Tx,
  { kind, partner_id }: Switch,
  reason: string,
): Promise<void> {
  // An order handed over meanwhile leaves; every later one is held.
  await lockExclusive(tx, 'kill_switches')
  if (kind === 'partner') await readPartnerName(tx, partner_id)
  const row = {
    id: tx.newId(),
    kind,
    partner_id,
    reason,
    thrown_by: tx.actor,
    thrown_at: tx.now,
  }
  if (!(await insertSwitch(tx, row)))
    throw problem('state_conflict', 'This switch is already active.')
  const audited = { act: 'throw', resource: `${kind}_switch`, resource_id: row.id } as const
  await recordAudit(tx, { ...audited, partner_id, reason })
}

/**
 * Deactivates a switch, which releases held payments. Throws `state_conflict` if it is not active,
 * or for the operator who activated it, because a second operator has to agree.
 */
export async function deactivateSwitch(tx: Tx, { kind, partner_id }: Switch): Promise<void> {
  const active = await tx.maybe(sql<ActiveSwitch>`
    select * from kill_switches where partner_id = ${partner_id} and kind = ${kind}
      and lifted_at is null for update`)
  if (!active) throw problem('state_conflict', 'This switch is not active.')
  if (active.thrown_by === tx.actor) {
    throw problem(
      'state_conflict',
      'You activated this switch. Ask another operator to deactivate it.',
    )
  }
  await setDeactivated(tx, active)
  const audited = { act: 'lift', resource: `${kind}_switch`, resource_id: active.id } as const
  await recordAudit(tx, { ...audited, partner_id })
  if (kind !== 'collections') enqueue(tx, 'pay_due_payouts', {})
  await sendUnsent(tx)
  if (kind === 'payouts') await sendProcessorPayments(tx)
}

async function sendProcessorPayments(tx: Tx): Promise<void> {
  const unsent = await tx.all(sql<{ id: string }>`
    select id from processor_payments
    where status = 'INSTRUCTED' and submitted_at is null order by id`)
  for (const { id } of unsent) enqueue(tx, 'submit_processor_payment', { processor_payment_id: id })
}

/** Active switches, oldest first, each with the email of the operator who activated it. */
export async function readSwitches(tx: Tx): Promise<(ActiveSwitch & { by: string })[]> {
  return tx.all(sql<ActiveSwitch & { by: string }>`
    select s.*, o.email as by from kill_switches s join operators o on o.id = s.thrown_by
    where s.lifted_at is null order by s.id`)
}

/**
 * Number and cents of the payments that a switch holds, or would hold if activated: payouts due,
 * collections to be sent by tomorrow (stopped ones are postponed until then), and instructed
 * payments that the bank has not answered.
 */
export async function readHeldPayments(
  tx: Tx,
  { kind, partner_id }: Switch,
): Promise<{ payments: number; amount: bigint }> {
  const tomorrow = addDays(tx.today, 1)
  const held =
    kind === 'collections'
      ? sql`direction = 'IN' and (
          status = 'INSTRUCTED'
          or payment_method = 'DIRECT_DEBIT' and scheduled_on <= ${debitsUntil(tomorrow)}
          or payment_method = 'P2P' and scheduled_on <= ${tomorrow})`
      : sql`payment_type = 'LOAN_PAYMENT'
          and (status = 'INSTRUCTED' or scheduled_on <= ${tx.today})
          and ${partner_id === LENDER_ID ? sql`true` : sql`partner_id = ${partner_id}`}`
  return tx.one(sql<{ payments: number; amount: bigint }>`
    select count(*)::int as payments, coalesce(sum(amount), 0)::bigint as amount
    from payments
    where (status = 'SCHEDULED' or status = 'INSTRUCTED' and submitted_at is null) and ${held}`)
}
