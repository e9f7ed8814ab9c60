/** The only SQL that writes the interest stops of cases. */
import { type Insertable, type Selectable, sql } from 'kysely'
import { insertInto } from '../../../platform/db/insert.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { DB } from '../../../platform/db/schema.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { LoanStops } from '../../loans/index.ts'

export type StopRow = Selectable<DB['recollection_interest_stops']>

export async function insertStop(
  tx: Tx,
  row: Insertable<DB['recollection_interest_stops']>,
): Promise<void> {
  await tx.run(insertInto('recollection_interest_stops', [row]))
}

export async function findOpenStop(
  tx: Tx,
  { partner_id, id: case_id }: RowKey,
): Promise<StopRow | undefined> {
  return tx.maybe(sql<StopRow>`
    select * from recollection_interest_stops
    where partner_id = ${partner_id} and case_id = ${case_id} and resumed_on is null`)
}

export async function setResumed(
  tx: Tx,
  { partner_id, id }: RowKey,
  { on, reason }: { on: Day; reason: string },
): Promise<void> {
  await tx.run(sql`
    update recollection_interest_stops set resumed_on = ${on}, resume_reason = ${reason},
      resumed_by = ${tx.actor}
    where partner_id = ${partner_id} and id = ${id}`)
}

/** The interest stops of a partner's loans, from all cases that have ever covered them. */
export async function stopsOf(
  tx: Tx,
  { partner_id }: { readonly partner_id: string },
  loan_ids: readonly string[],
): Promise<LoanStops[]> {
  return tx.all(sql<LoanStops>`
    select o.partner_id, o.loan_id as id, jsonb_agg(jsonb_build_object('from_on', s.stopped_on,
      'until_on', s.resumed_on) order by s.id) as stops
    from recollection_case_loans o join recollection_interest_stops s
      on s.partner_id = o.partner_id and s.case_id = o.case_id
    where o.partner_id = ${partner_id} and o.loan_id = any(${loan_ids}::uuid[])
    group by o.partner_id, o.loan_id order by o.loan_id`)
}
