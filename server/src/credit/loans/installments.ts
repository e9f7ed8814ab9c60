/** A loan that is repaid in parts: what is due when. Pure. */
import { type Day, max } from '../../platform/kit/dates.ts'
import { least } from '../../platform/kit/money.ts'
import type { InvalidParam } from '../../platform/kit/problem.ts'
import { feesTo, type Rates, type Step } from './interest.ts'

/** Cents of principal and the day on which they fall due. */
export interface Installment {
  readonly due_on: Day
  readonly amount: bigint
}

/** One part of a loan's principal; a loan without installments is one part without a number. */
export interface Part extends Installment {
  readonly position: number | null
}

/**
 * What is still owed of each installment: what is `covered` of the loan fills them in the order of
 * their due days, so who pays ahead owes the next ones less, and the rest adds up to what is owed.
 * Refunds that are lent beyond the amount make it less than zero: they are owed with the first one.
 * SQL: `OPEN_PART`.
 */
export function openParts(installments: readonly Installment[], covered: bigint): Part[] {
  let repaid = covered
  return installments.flatMap(({ due_on, amount }, index) => {
    const paid = least(repaid, amount)
    repaid -= paid
    return paid === amount ? [] : [{ position: index + 1, due_on, amount: amount - paid }]
  })
}

/** What of a loan is due next. */
export interface NextDue {
  /** Cents of its principal that are not owed. */
  readonly principal_covered: bigint
  /** The day on which it is due as a whole. */
  readonly falls_due_on: Day
  /** The day on which its oldest unpaid part falls due. */
  readonly due_on: Day
  /** That part; null where it is repaid at once, or nothing is owed. */
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
 * What is due next of a loan with these installments. While something is owed, the rest is covered,
 * also where a payout came back and only a refund is lent: parts never ask for more. Reclaimed
 * refunds are due no earlier than they were paid.
 */
export function nextDue(loan: Owing, installments: readonly Installment[]): NextDue {
  const { amount, to_repay_on, principal_outstanding: owed } = loan
  const principal_covered = owed > 0n ? amount - owed : loan.principal_repaid
  const [next] = openParts(installments, principal_covered)
  const not_before = (day: Day) => max(day, loan.reclaimed_on ?? day)
  return {
    principal_covered,
    falls_due_on: not_before(to_repay_on),
    due_on: not_before(next?.due_on ?? to_repay_on),
    due_part: next?.position ?? null,
  }
}

/** The same of a loan that is new: nothing of it is paid out yet. */
export function firstDue(
  terms: { readonly amount: bigint; readonly to_repay_on: Day },
  installments: readonly Installment[],
): NextDue & { readonly in_parts: boolean } {
  const unpaid = { principal_outstanding: 0n, principal_repaid: 0n, reclaimed_on: null }
  const in_parts = installments.length > 0
  return { ...nextDue({ ...terms, ...unpaid }, installments), in_parts }
}

/** The faults of installments that are to repay `amount` between two days; null is not known. */
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
 * Total interest in cents when what is open is repaid part by part, each on the day that `payDay`
 * tells, and none before `from`. `steps` is the principal up to now; where none of it bears
 * interest any more, nothing is added.
 */
export function plannedInterest(
  steps: readonly Step[],
  open: readonly Part[],
  rates: Rates,
  from: Day,
  payDay: (part: Part) => Day,
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
