/** Gives back the headroom of debits that can no longer come back. */
import { sql } from 'kysely'
import { changeLines } from '../../credit-lines/index.ts'
import { inSlices } from '../../db/slices.ts'
import type { Database, Tx } from '../../db/transaction.ts'
import type { Day } from '../../kit/dates.ts'
import { lockLoanMoney } from '../money.ts'
import { readMovementsOf } from '../read-movements.ts'
import { revocablePrincipal } from '../revocable.ts'
import { setReserved } from '../store.ts'

const SLICE = 100

/** Releases what loans still reserve for debits whose return window has passed. */
export async function releaseRevocable(database: Database, today: Day): Promise<number> {
  return inSlices(database, tx => releaseSlice(tx, today))
}

async function releaseSlice(tx: Tx, today: Day): Promise<number> {
  const due = await tx.all(sql<{ id: string }>`
    select l.id from loans l
    where l.reserved > 0 and l.paid_out_on is not null
      and l.reserved <> (select coalesce(sum(r.principal), 0) from loan_movements r
        where r.loan_id = l.id and r.voided_at is null and r.revocable_until >= ${today})
    order by l.id limit ${SLICE}`)
  const ids = due.map(d => d.id)
  if (ids.length === 0) return 0
  const loans = await lockLoanMoney(tx, ids)
  const movements = await readMovementsOf(tx, ids)
  const held = loans.map(({ id }) => {
    const own = movements.get(id) ?? []
    return { id, reserved: revocablePrincipal(own, new Map(own.map(m => [m.id, m])), today) }
  })
  setReserved(tx, held)
  await changeLines(
    tx,
    loans.map((loan, index) => ({
      credit_line_id: loan.credit_line_id!,
      outstanding: 0n,
      reserved: held[index]!.reserved - loan.reserved,
    })),
  )
  return ids.length
}
