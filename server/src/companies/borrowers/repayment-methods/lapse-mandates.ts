/** Ends mandates unused for 36 months, as the EPC SDD rulebooks require. */
import type { Status } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { publishFact } from '../../../facts.ts'
import { move } from '../../../platform/db/move.ts'
import { followKey, haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../../platform/db/slices.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { addMonths, type Day } from '../../../platform/kit/dates.ts'
import { lockBorrowers } from '../store.ts'
import { endMethods } from './end-methods.ts'

const LAPSE_MONTHS = 36
const SLICE = 100

/**
 * Ends lapsed mandates and their methods. A borrower without another method must set one up before
 * it can draw again.
 */
export function lapseMandates(today: Day): Paged {
  const due = unused(addMonths(today, -LAPSE_MONTHS))
  const read = (tx: Tx, after: RowKey) =>
    tx.all(sql<RowKey>`
      select distinct partner_id, borrower_id as id from mandates
      where ${due} and ${followKey(after, 'mandates', 'borrower_id')}
      order by 1, 2 limit ${SLICE}`)
  return keyedJob('mandates to lapse', read, (tx, keys) => lapseBatch(tx, due, keys))
}

async function lapseBatch(
  tx: Tx,
  due: RawBuilder<unknown>,
  keys: readonly RowKey[],
): Promise<number> {
  const borrowers = await lockBorrowers(tx, keys)
  const mandates = await tx.all(sql<RowKey & { status: Status<'mandate'> }>`
    select id, partner_id, status from mandates
    where ${haveKeys(keys, 'mandates', 'borrower_id')} and ${due} order by id`)
  await move(tx, 'mandate', mandates, 'lapse')
  const lapsed = mandates.map(mandate => mandate.id)
  await endMethods(tx, borrowers, lapsed, 'the mandate lapsed')
  for (const { partner_id, id: mandate_id } of mandates) {
    await publishFact(tx, 'mandate_ended', { partner_id, mandate_id, because: 'unused' })
  }
  return mandates.length
}

function unused(since: Day): RawBuilder<unknown> {
  return sql`status = 'READY'
    and greatest(last_used_on, (signed_at at time zone 'Europe/Paris')::date) < ${since}`
}
