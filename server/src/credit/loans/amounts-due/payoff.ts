/** Computes what a loan owes if it is repaid on a given day. */
import { sql } from 'kysely'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { maxAmount } from '../../../platform/kit/money.ts'
import { feesTo, type PrincipalStep } from '../interest.ts'
import { type LoanRow, readLoans } from '../store.ts'

export async function readStepsOf(
  tx: Tx,
  loans: readonly RowKey[],
): Promise<Map<string, PrincipalStep[]>> {
  const rows = await tx.all(sql<PrincipalStep & { loan_id: string }>`
    select loan_id, from_on, principal from loan_principal_steps
    where ${haveKeys(loans, 'loan_principal_steps', 'loan_id')} order by loan_id, from_on`)
  return Map.groupBy(rows, row => row.loan_id)
}

interface Payoff {
  readonly principal: bigint
  readonly interest: bigint
}

/**
 * Principal and interest in cents that a borrower owes if the loan is repaid on a day. Interest
 * that the partner pays is not included.
 */
export async function payoffOf(tx: Tx, loan: LoanRow, on: Day): Promise<Payoff> {
  return (await payoffsOf(tx, [loan], on)).get(loan.id)!
}

export async function payoffsOf(
  tx: Tx,
  loans: readonly LoanRow[],
  on: Day,
): Promise<Map<string, Payoff>> {
  const bearing = loans.filter(loan => loan.fees_payer !== 'PARTNER')
  const steps = await readStepsOf(tx, bearing)
  return new Map(loans.map(loan => [loan.id, payoff(loan, steps.get(loan.id) ?? [], on)]))
}

function payoff(loan: LoanRow, steps: readonly PrincipalStep[], on: Day): Payoff {
  // Written-off principal is not outstanding, but the borrower still owes it.
  const lost = loan.principal_written_off - loan.principal_recovered
  const principal = loan.principal_outstanding + lost
  if (loan.fees_payer === 'PARTNER') return { principal, interest: 0n }
  const interest = feesTo(steps, loan, on) - loan.interest_paid
  return { principal, interest: maxAmount(interest, 0n) }
}

/** The most cents that a loan can take from a transfer with this value date. */
export async function owedByLoan(tx: Tx, key: RowKey, on: Day): Promise<bigint> {
  const [loan] = await readLoans(tx, [key])
  assert(loan, 'the loan was just read')
  // Money received before the payout repays the loan once it is paid out.
  if (!loan.paid_out_on && loan.status !== 'CLOSED') {
    return loan.amount > loan.surplus ? loan.amount - loan.surplus : 0n
  }
  const { principal, interest } = await payoffOf(tx, loan, on)
  return principal + interest
}
