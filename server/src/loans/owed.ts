/** What pays a loan or a bill off on a day. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { assert } from '../kit/assert.ts'
import type { Day } from '../kit/dates.ts'
import { feesTo, type Step } from './account.ts'
import { type LoanRow, readLoans } from './store.ts'

async function readSteps(tx: Tx, loan_id: string): Promise<Step[]> {
  return tx.all(sql<Step>`
    select from_on, principal from loan_principal_steps where loan_id = ${loan_id}
    order by from_on`)
}

/** The steps of many loans, by loan id. */
export async function readStepsOf(
  tx: Tx,
  loan_ids: readonly string[],
): Promise<Map<string, Step[]>> {
  const rows = await tx.all(sql<Step & { loan_id: string }>`
    select loan_id, from_on, principal from loan_principal_steps
    where loan_id = any(${loan_ids}::uuid[]) order by loan_id, from_on`)
  return Map.groupBy(rows, row => row.loan_id)
}

/**
 * Principal and interest in cents that a borrower owes on a day, were the loan repaid then.
 * Interest that its partner pays is none of the borrower's.
 */
export async function payoffOf(
  tx: Tx,
  loan: LoanRow,
  on: Day,
): Promise<{ principal: bigint; interest: bigint }> {
  if (loan.fees_payer === 'PARTNER') return { principal: loan.principal_outstanding, interest: 0n }
  const interest = feesTo(await readSteps(tx, loan.id), loan, on) - loan.interest_paid
  return { principal: loan.principal_outstanding, interest: interest > 0n ? interest : 0n }
}

/** Cents that a loan or a bill takes of a transfer valued on a day. */
export async function owedBy(
  tx: Tx,
  thing: { kind: 'loan' | 'bill'; id: string },
  on: Day,
): Promise<bigint> {
  if (thing.kind === 'bill') {
    const { owed } = await tx.one(sql<{ owed: bigint }>`
      select amount - amount_paid as owed from bills where id = ${thing.id}`)
    return owed
  }
  const [loan] = await readLoans(tx, [thing.id])
  assert(loan, 'the loan was just read')
  // What comes before the payout takes effect with it.
  if (!loan.paid_out_on && loan.status !== 'CLOSED') return loan.amount - loan.surplus
  const { principal, interest } = await payoffOf(tx, loan, on)
  return principal + interest
}
