/** Frees the credit reserved for debits that can no longer be returned. */
import { sql } from 'kysely'
import { changeLines, reassess } from '../../../companies/credit-lines/index.ts'
import { followKey, keysBy, type RowKey } from '../../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../../platform/db/slices.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { lockLoanMoney } from '../booking/money.ts'
import { readMovementsOf } from '../booking/read-movements.ts'
import { revocablePrincipal } from '../booking/revocable.ts'
import { setReserved } from '../store.ts'

const SLICE = 100

export function releaseRevocable(today: Day): Paged {
  const read = (tx: Tx, after: RowKey) =>
    tx.all(sql<RowKey>`
      select l.partner_id, l.id from loans l
      where l.reserved > 0 and l.paid_out_on is not null and ${followKey(after, 'l')}
        and l.reserved <> (select coalesce(sum(r.principal), 0) from loan_movements r
          where r.partner_id = l.partner_id and r.loan_id = l.id
            and r.voided_at is null and r.revocable_until >= ${today})
      order by l.partner_id, l.id limit ${SLICE}`)
  return keyedJob('reserved credit to release', read, (tx, keys) =>
    releaseTogether(tx, today, keys),
  )
}

async function releaseTogether(tx: Tx, today: Day, keys: readonly RowKey[]): Promise<number> {
  // Skips loans that changed since the page was read: after its payout is returned, a loan reserves
  // credit for its next payout; once written off, it reserves none.
  const loans = (await lockLoanMoney(tx, keys)).filter(
    loan => loan.paid_out_on !== null && loan.reserved > 0n,
  )
  const movements = await readMovementsOf(tx, loans)
  const held = loans.map(({ partner_id, id }) => {
    const own = movements.get(id) ?? []
    const reserved = revocablePrincipal(own, new Map(own.map(m => [m.id, m])), today)
    return { partner_id, id, reserved }
  })
  setReserved(tx, held)
  await changeLines(
    tx,
    loans.map((loan, index) => ({
      partner_id: loan.partner_id,
      credit_line_id: loan.credit_line_id!,
      outstanding: 0n,
      reserved: held[index]!.reserved - loan.reserved,
    })),
  )
  reassess(tx, keysBy(loans, 'credit_line_id'))
  return loans.length
}
