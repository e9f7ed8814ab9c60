/** Ends mandates that were not used for 36 months (EPC SDD rulebooks, DS-01). */
import { type RawBuilder, sql } from 'kysely'
import { type Actor, type Moving, move } from '../db/move.ts'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import { addMonths, type Day } from '../kit/dates.ts'
import { noteProducts } from './note-products.ts'
import { lockBorrowers, setMain } from './store.ts'

const SERVICE: Actor = 'service'
const LAPSE_MONTHS = 36
const SLICE = 100

/**
 * Ends lapsed mandates and their methods; answers how many. A borrower that loses its last
 * method has to set up another before it draws again.
 */
export async function lapseMandates(database: Database, today: Day): Promise<number> {
  for (let lapsed = 0; ; ) {
    const slice = await transaction(database, { partners: '*' }, tx => lapseSlice(tx, today))
    if (slice === 0) return lapsed
    lapsed += slice
  }
}

async function lapseSlice(tx: Tx, today: Day): Promise<number> {
  const due = unused(addMonths(today, -LAPSE_MONTHS))
  const owners = await tx.all(sql<{ id: string }>`
    select distinct borrower_id as id from mandates where ${due} order by 1 limit ${SLICE}`)
  const ids = owners.map(owner => owner.id)
  const borrowers = await lockBorrowers(tx, ids)
  const mandates = await tx.all(sql<Moving>`
    select id, partner_id, status from mandates
    where borrower_id = any(${ids}::uuid[]) and ${due}`)
  await move(tx, SERVICE, 'mandate', mandates, 'lapse')
  const methods = await tx.all(sql<Moving & { borrower_id: string; is_main: boolean }>`
    select id, partner_id, borrower_id, status, is_main from repayment_methods
    where mandate_id = any(${mandates.map(m => m.id)}::uuid[]) and status <> 'DEACTIVATED'`)
  await move(tx, SERVICE, 'repayment_method', methods, 'deactivate', 'the mandate lapsed')
  for (const borrower of borrowers) {
    const lost = methods.some(m => m.borrower_id === borrower.id && m.is_main)
    if (lost) await replaceMain(tx, borrower)
  }
  return mandates.length
}

function unused(since: Day): RawBuilder<unknown> {
  return sql`status = 'READY'
    and greatest(last_used_on, (signed_at at time zone 'Europe/Paris')::date) < ${since}`
}

/** The oldest method in force takes the main one's place; without any the borrower is SIGNED. */
async function replaceMain(tx: Tx, borrower: Moving): Promise<void> {
  const next = await tx.maybe(sql<{ id: string }>`
    select id from repayment_methods where borrower_id = ${borrower.id} and status = 'READY'
    order by id limit 1`)
  await setMain(tx, borrower.id, next?.id ?? null)
  if (next || !['SDD_SETUP', 'ALL_PAYMENT_SETUP', 'READY'].includes(borrower.status)) return
  await move(tx, SERVICE, 'borrower', [borrower], 'lose_payment_method', 'the mandate lapsed')
  await noteProducts(tx, [borrower.id])
}
