/** Reads loans as of a past day, from facts with a value date up to that day. */
import { sql } from 'kysely'
import { IS_VOIDED_BY_RETURN } from '../../../money/payments/index.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { computeAccount } from '../account.ts'
import type { PrincipalStep } from '../interest.ts'
import type { LoanRow, MovementRow } from '../store.ts'
import { readStepsOf } from './payoff.ts'

/**
 * The principal steps of loans as of a day, by loan id. Facts with a later value date are ignored,
 * whenever they were booked: a payout or payment returned later still counts, and a later write-off
 * does not.
 */
export async function readStepsAsOf(
  tx: Tx,
  loans: readonly LoanRow[],
  on: Day,
): Promise<Map<string, readonly PrincipalStep[]>> {
  const steps: Map<string, readonly PrincipalStep[]> = await readStepsOf(tx, loans)
  const changed = await findChangedAfter(tx, loans, on)
  const movements = await readMovementsAsOf(
    tx,
    loans.filter(loan => changed.has(loan.id)),
    on,
  )
  for (const loan of loans.filter(one => changed.has(one.id))) {
    const { written_off_on } = loan
    const lost = written_off_on !== null && written_off_on <= on
    const terms = { ...loan, written_off_on: lost ? written_off_on : null }
    steps.set(loan.id, computeAccount(movements.get(loan.id) ?? [], terms).steps)
  }
  return steps
}

async function findChangedAfter(tx: Tx, loans: readonly RowKey[], on: Day): Promise<Set<string>> {
  const rows = await tx.all(sql<{ loan_id: string }>`
    select distinct loan_id from ledger_entries
    where ${haveKeys(loans, 'ledger_entries', 'loan_id')} and value_on > ${on}`)
  return new Set(rows.map(row => row.loan_id))
}

type PastMovement = MovementRow & { voided_on: Day | null }

/** Movements that counted on the day; a movement is void from the value date of its return. */
async function readMovementsAsOf(
  tx: Tx,
  loans: readonly RowKey[],
  on: Day,
): Promise<Map<string, PastMovement[]>> {
  const rows = await tx.all(sql<PastMovement>`
    select m.*, b.paid_on as voided_on from loan_movements m
    left join payments b on ${IS_VOIDED_BY_RETURN}
    where ${haveKeys(loans, 'm', 'loan_id')} and m.value_on <= ${on}
      and (m.voided_at is null or b.paid_on > ${on})
    order by m.id`)
  const movements = Map.groupBy(rows, row => row.loan_id)
  return new Map([...movements].map(([loan_id, own]) => [loan_id, withoutGivenBack(own)]))
}

/**
 * Resets `given_back` if the payout was still in force on the day, because money is refunded this
 * way only after the payout's return.
 */
function withoutGivenBack(movements: PastMovement[]): PastMovement[] {
  const was_paid_out = movements.some(m => m.kind === 'PAYOUT' && m.voided_at !== null)
  return was_paid_out ? movements.map(m => ({ ...m, given_back: 0n })) : movements
}
