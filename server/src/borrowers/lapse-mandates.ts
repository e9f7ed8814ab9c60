/** Ends mandates that were not used for 36 months (EPC SDD rulebooks, DS-01). */
import { sql } from 'kysely'
import { type Actor, type Moving, move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { addMonths } from '../kit/dates.ts'
import { noteProducts } from './note-products.ts'
import { progress } from './progress.ts'
import { lockBorrowers, setMain } from './store.ts'

const ACTOR: Actor = 'service'
const LAPSE_MONTHS = 36
const BATCH = 200

type Method = Moving & { borrower_id: string; is_main: boolean }

/**
 * Ends one batch of lapsed mandates and their methods; answers how many, so that a run goes on
 * until it is 0. A borrower that loses its last method sets up another before it draws again.
 */
export async function lapseMandates(tx: Tx): Promise<number> {
  const last = addMonths(tx.today, -LAPSE_MONTHS)
  const mandates = await tx.all(sql<Moving & { borrower_id: string }>`
    select id, partner_id, borrower_id, status from mandates
    where status = 'READY'
      and greatest(last_used_on, (signed_at at time zone 'Europe/Paris')::date) < ${last}
    order by borrower_id, id limit ${BATCH}`)
  const borrowers = await lockBorrowers(
    tx,
    mandates.map(mandate => mandate.borrower_id),
  )
  await move(tx, ACTOR, 'mandate', mandates, 'lapse')
  const methods = await tx.all(sql<Method>`
    select id, partner_id, borrower_id, status, is_main from repayment_methods
    where mandate_id = any(${mandates.map(m => m.id)}::uuid[]) and status <> 'DEACTIVATED'`)
  await move(tx, ACTOR, 'repayment_method', methods, 'deactivate', 'the mandate lapsed')
  for (const borrower of borrowers) {
    const lost = methods.some(m => m.borrower_id === borrower.id && m.is_main)
    if (lost) await replaceMain(tx, borrower)
  }
  return mandates.length
}

/** The oldest method in force takes the main one's place; without any the borrower is SIGNED. */
async function replaceMain(tx: Tx, borrower: Moving): Promise<void> {
  const next = await tx.maybe(sql<{ id: string }>`
    select id from repayment_methods where borrower_id = ${borrower.id} and status = 'READY'
    order by id limit 1`)
  await setMain(tx, borrower.id, next?.id ?? null)
  if (next || !['SDD_SETUP', 'ALL_PAYMENT_SETUP', 'READY'].includes(borrower.status)) return
  await move(tx, ACTOR, 'borrower', [borrower], 'lose_payment_method', 'the mandate lapsed')
  await noteProducts(tx, [borrower.id])
  await progress(tx, ACTOR, { borrower_id: borrower.id, partner_id: borrower.partner_id })
}
