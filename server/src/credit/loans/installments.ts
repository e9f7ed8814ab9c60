/** Computes what a loan in installments owes, and when. Pure. */
import { type Day, max } from '../../platform/kit/dates.ts'
import { minAmount } from '../../platform/kit/money.ts'
import type { InvalidParam } from '../../platform/kit/problem.ts'
import { feesTo, type PrincipalStep, type Rates } from './interest.ts'

/** Cents and the day on which they are due. */
export interface Installment {
  readonly due_on: Day
  readonly amount: bigint
}

/**
 * An installment with an open amount. A loan without installments counts as a single one, with no
 * position.
 */
export interface OpenInstallment extends Installment {
  readonly position: number | null
}

/**
 * The open amount of each installment. The `covered` principal pays them in order of due date, so
 * early payments reduce the next ones. `covered` is negative if refunds were lent beyond the loan's
 * amount; these are owed with the first installment. `OPEN_AMOUNT` is this rule in SQL.
 */
export function openInstallments(
  installments: readonly Installment[],
  covered: bigint,
): OpenInstallment[] {
  let repaid = covered
  return installments.flatMap(({ due_on, amount }, index) => {
    const paid = minAmount(repaid, amount)
    repaid -= paid
    return paid === amount ? [] : [{ position: index + 1, due_on, amount: amount - paid }]
  })
}

/**
 * The principal that a payment plan's installments repay. Each repays principal first and then
 * interest, so the last ones may repay no principal; those are left out.
 */
export function principalParts(
  parts: readonly Installment[],
  principal: bigint,
): OpenInstallment[] {
  let left = principal
  return parts.flatMap(({ due_on, amount: due }) => {
    const amount = minAmount(due, left)
    left -= amount
    return amount > 0n ? [{ position: null, due_on, amount }] : []
  })
}

export interface NextDue {
  /** Cents of the loan's principal that are not owed. */
  readonly principal_covered: bigint
  /** The due date of the loan as a whole. */
  readonly falls_due_on: Day
  /** The due date of the oldest unpaid installment, or else of the loan. */
  readonly due_on: Day
  /** The position of that installment; null if the loan has none, or if nothing is owed. */
  readonly due_part: number | null
}

interface Owing {
  readonly amount: bigint
  readonly to_repay_on: Day
  readonly principal_outstanding: bigint
  readonly principal_repaid: bigint
  readonly reclaimed_on: Day | null
}

/**
 * The next amount due of a loan with these installments. While principal is owed, the rest of the
 * amount counts as covered, even if the payout was returned and only a refund is principal, so
 * installments never request more than is owed. Reclaimed refunds are not due before the day they
 * were paid.
 */
export function nextDue(loan: Owing, installments: readonly Installment[]): NextDue {
  const { amount, to_repay_on, principal_outstanding: owed } = loan
  const principal_covered = owed > 0n ? amount - owed : loan.principal_repaid
  const [next] = openInstallments(installments, principal_covered)
  const not_before = (day: Day) => max(day, loan.reclaimed_on ?? day)
  return {
    principal_covered,
    falls_due_on: not_before(to_repay_on),
    due_on: not_before(next?.due_on ?? to_repay_on),
    due_part: next?.position ?? null,
  }
}

/** The next amount due of a loan that is not paid out yet. */
export function firstDue(
  terms: { readonly amount: bigint; readonly to_repay_on: Day },
  installments: readonly Installment[],
): NextDue & { readonly in_parts: boolean } {
  const unpaid = { principal_outstanding: 0n, principal_repaid: 0n, reclaimed_on: null }
  const in_parts = installments.length > 0
  return { ...nextDue({ ...terms, ...unpaid }, installments), in_parts }
}

/**
 * The errors in installments that repay `amount` between two days. A value is null if it could not
 * be read.
 */
export function installmentFaults(
  installments: readonly { due_on: Day | null; amount: bigint | null }[],
  loan: { amount: bigint | null; to_pay_on: Day | null; to_repay_on: Day | null },
): InvalidParam[] {
  const faults: InvalidParam[] = []
  let before = loan.to_pay_on
  for (const [index, { due_on }] of installments.entries()) {
    if (due_on && before && due_on <= before) {
      const reason = index === 0 ? 'must be after to_pay_at' : 'must be after the one before'
      faults.push({ name: `installments.${index}.date`, reason })
    }
    before = due_on ?? before
  }
  const last = installments.at(-1)?.due_on
  if (last && loan.to_repay_on && last !== loan.to_repay_on) {
    const name = `installments.${installments.length - 1}.date`
    faults.push({ name, reason: 'the last installment falls on to_repay_at' })
  }
  const amounts = installments.flatMap(({ amount }) => (amount === null ? [] : [amount]))
  const sum = amounts.reduce((total, amount) => total + amount, 0n)
  if (loan.amount !== null && amounts.length === installments.length && sum !== loan.amount) {
    faults.push({ name: 'installments', reason: `sum up to ${sum}, not to amount` })
  }
  return faults
}

/**
 * Total interest in cents if each open installment is repaid on the day given by `payDay`, but not
 * before `from`. `steps` is the interest-bearing principal so far; if the last step is 0, no
 * further interest accrues.
 */
export function plannedInterest(
  steps: readonly PrincipalStep[],
  open: readonly OpenInstallment[],
  rates: Rates,
  from: Day,
  payDay: (part: OpenInstallment) => Day,
): bigint {
  let principal = steps.at(-1)?.principal ?? 0n
  let last = steps.at(-1)?.from_on ?? from
  const stands = principal === 0n
  const planned = open.map(part => {
    principal -= stands ? 0n : part.amount
    last = max(max(payDay(part), from), last)
    return { from_on: last, principal }
  })
  return feesTo([...steps, ...planned], rates, last)
}
