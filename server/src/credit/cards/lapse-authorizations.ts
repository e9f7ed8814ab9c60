/** Releases authorizations that were not fully cleared within a week. */
import { sql } from 'kysely'
import { changeLines, lockExposure } from '../../companies/credit-lines/index.ts'
import { move } from '../../platform/db/move.ts'
import { batchJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { type EntryRow, releaseEntries } from './store.ts'

const SLICE = 200

/** A later clearing is still accepted. */
export function lapseAuthorizations(today: Day): Paged {
  const read = (tx: Tx, after: string) =>
    tx.all(sql<{ id: string }>`
      select id from card_entries
      where (held > 0 or status = 'pending') and lapses_on <= ${today} and id > ${after}
      order by id limit ${SLICE}`)
  return batchJob('authorisations to lapse', read, lapseTogether)
}

async function lapseTogether(tx: Tx, ids: readonly string[]): Promise<number> {
  const owners = await tx.all(sql<Pick<EntryRow, 'partner_id' | 'borrower_id'>>`
    select partner_id, borrower_id from card_entries where id = any(${ids}::uuid[])
    order by id`)
  const locked = await lockExposure(
    tx,
    owners.map(e => e.partner_id),
    owners.map(e => e.borrower_id),
  )
  // Read again, because they may have changed before they were locked.
  const entries = await tx.all(sql<EntryRow>`
    select * from card_entries where id = any(${ids}::uuid[])
      and (held > 0 or status = 'pending') order by id`)
  await releaseEntries(
    tx,
    entries.map(e => e.id),
  )
  const pending = entries.filter(e => e.status === 'pending')
  await move(tx, 'service', 'card_entry', pending, 'reverse', 'lapsed')
  await changeLines(
    tx,
    entries.map(({ partner_id, credit_line_id, held }) => ({
      partner_id,
      credit_line_id: locked.line(credit_line_id),
      outstanding: 0n,
      reserved: -held,
      card_pending: -held,
    })),
  )
  return entries.length
}
