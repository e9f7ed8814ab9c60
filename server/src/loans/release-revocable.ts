/** Gives back the headroom of debits that can no longer come back. */
import { sql } from 'kysely'
import { changeLines } from '../credit-lines/index.ts'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import { lockLoanMoney } from './money.ts'
import { revocablePrincipal } from './revocable.ts'
import { readMovements, setReserved } from './store.ts'

const SLICE = 100

/** Releases what loans still reserve for debits whose return window has passed. */
export async function releaseRevocable(database: Database, today: Day): Promise<number> {
  for (let released = 0; ; ) {
    const slice = await transaction(database, { partners: '*' }, tx => releaseSlice(tx, today))
    if (slice === 0) return released
    released += slice
  }
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
  for (const loan of await lockLoanMoney(tx, ids)) {
    const movements = await readMovements(tx, loan.id)
    const shares = new Map(movements.map(m => [m.id, m]))
    const reserved = revocablePrincipal(movements, shares, today)
    await setReserved(tx, loan.id, reserved)
    await changeLines(tx, [
      {
        credit_line_id: loan.credit_line_id!,
        outstanding: 0n,
        reserved: reserved - loan.reserved,
      },
    ])
  }
  return ids.length
}
