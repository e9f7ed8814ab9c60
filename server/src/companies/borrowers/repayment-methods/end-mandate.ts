/**
 * Ends a mandate that the debtor's bank reports as unusable, together with its repayment method.
 */
import { sql } from 'kysely'
import { publishFact } from '../../../facts.ts'
import { move, type StatusHolder } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue, type JobData } from '../../../platform/jobs/index.ts'
import { lockBorrowers } from '../store.ts'
import { endMethods } from './end-methods.ts'

/**
 * ISO 20022 reasons after which no debit can succeed: the account is wrong, closed or cannot be
 * debited; its holder is a consumer (B2B) or has died; there is no mandate.
 */
const ENDING = ['AC01', 'AC04', 'AC13', 'AG01', 'MD01', 'MD07']

function endsMandate(reason: string): boolean {
  return ENDING.includes(reason)
}

/**
 * Whether the mandate of a failed or returned debit will end for this reason. False if the mandate
 * has already ended.
 */
export async function isMandateEnding(
  tx: Tx,
  { partner_id, mandate_id }: Pick<Fact['payment'], 'partner_id' | 'mandate_id'>,
  reason: string,
): Promise<boolean> {
  if (!mandate_id || !endsMandate(reason)) return false
  const mandate = await tx.maybe(sql`
    select from mandates
    where partner_id = ${partner_id} and id = ${mandate_id} and status <> 'DEACTIVATED'`)
  return mandate !== undefined
}

interface Fact {
  readonly payment: {
    readonly partner_id: string
    readonly direction: string
    readonly mandate_id: string | null
  }
  readonly reason: string
}

/** Enqueues the end of the mandate of a failed or returned debit, if `reason` ends the mandate. */
export async function endMandateFor(tx: Tx, { payment, reason }: Fact): Promise<void> {
  const { partner_id, mandate_id } = payment
  if (!mandate_id || !endsMandate(reason)) return
  enqueue(tx, 'end_mandate', { partner_id, mandate_id, reason })
}

/**
 * Ends the mandate unless already ended, and publishes `mandate_ended` so that its planned debits
 * stop.
 */
export async function endMandate(
  tx: Tx,
  { partner_id, mandate_id, reason }: JobData['end_mandate'],
): Promise<void> {
  const owner = await tx.one(sql<{ borrower_id: string }>`
    select borrower_id from mandates where partner_id = ${partner_id} and id = ${mandate_id}`)
  const borrowers = await lockBorrowers(tx, [{ partner_id, id: owner.borrower_id }])
  const mandates = await tx.all(sql<StatusHolder<'mandate'>>`
    select id, partner_id, status from mandates
    where partner_id = ${partner_id} and id = ${mandate_id} and status <> 'DEACTIVATED'`)
  if (mandates.length === 0) return
  await move(tx, 'mandate', mandates, 'deactivate', reason)
  await endMethods(tx, borrowers, [mandate_id], `the mandate ended: ${reason}`)
  await publishFact(tx, 'mandate_ended', { partner_id, mandate_id, because: 'refused' })
}
