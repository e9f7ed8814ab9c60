/**
 * Computes the lines that a bill prints for a loan, with the figures from which each follows. Pure.
 * See docs/decisions/0034.
 */
import { addDays, compare, type Day, daysBetween } from '../../../platform/kit/dates.ts'
import { absAmount, accrue, roundHalfEven, toWire } from '../../../platform/kit/money.ts'
import { accruedTo, type PrincipalStep } from '../../loans/interest.ts'
import type { Component, EarlierLine, PrintedLine } from '../printed-line.ts'
import { type LoanFact, reasonOf } from './rules.ts'

/** A bill that is neither GENERATED nor INVALID. */
export interface IssuedBill {
  readonly id: string
  readonly period_from: Day
  readonly period_to: Day
  readonly ran_at: Date
}

/** The input for the lines of one component of a loan. */
export interface Basis {
  readonly component: Component
  readonly rate_ppm: number
  /** Interest-bearing principal, by day. */
  readonly steps: readonly PrincipalStep[]
  readonly period_from: Day
  /** The first day after the period. */
  readonly end: Day
  /** Cents; the lines add up to this. */
  readonly amount: bigint
  /** Cents charged by other valid bills. */
  readonly billed: bigint
  readonly earlier: readonly EarlierLine[]
  /** Issued bills of the payer for earlier periods. */
  readonly bills: readonly IssuedBill[]
  readonly facts: readonly LoanFact[]
  readonly is_written_off: boolean
}

/** Days with a constant difference between actual and billed principal. */
export interface PrincipalSpan {
  readonly from_on: Day
  readonly until_on: Day
  readonly principal: bigint
}

/**
 * The spans before `end` in which the actual principal differs from that of earlier lines. Spans
 * are also split at `cuts`.
 */
export function differences(
  steps: readonly PrincipalStep[],
  earlier: readonly PrintedLine[],
  end: Day,
  cuts: readonly Day[],
): PrincipalSpan[] {
  const billed = earlier.filter(line => line.principal !== undefined)
  const starts = [
    ...steps.map(step => step.from_on),
    ...billed.flatMap(line => [line.from_on!, addDays(line.to_on!, 1)]),
    ...cuts,
  ]
  const days = [...new Set(starts)].filter(on => on < end).sort(compare)
  return days
    .map((from_on, index) => {
      const now = steps.findLast(step => step.from_on <= from_on)?.principal ?? 0n
      const before = billed
        .filter(line => line.from_on! <= from_on && from_on <= line.to_on!)
        .reduce((sum, line) => sum + BigInt(line.principal!), 0n)
      return { from_on, until_on: days[index + 1] ?? end, principal: now - before }
    })
    .filter(run => run.principal !== 0n)
}

/** The lines of one component of a loan, without lines of 0. They add up to the basis's amount. */
export function printedLines(basis: Basis): PrintedLine[] {
  // A written-off loan is charged nothing more; only overbilled amounts are credited.
  if (basis.amount === 0n && basis.is_written_off) return []
  const cuts = basis.bills.flatMap(bill => [bill.period_from, addDays(bill.period_to, 1)])
  const runs = differences(basis.steps, basis.earlier, basis.end, [basis.period_from, ...cuts])
  const lines = joined(runs.map(run => ({ run, ...natureOf(run, basis) }))).map(
    ({ run, ...nature }) => ({ ...nature, ...figuresOf(run, basis.rate_ppm) }),
  )
  const own = (line: PrintedLine) => line.kind !== 'ADJUSTMENT'
  const ordered: PrintedLine[] = [...lines.filter(own), ...lines.filter(line => !own(line))].filter(
    line => line.amount !== 0,
  )
  return [...ordered, ...restOf(basis, ordered, lines.length)]
}

type LineKind = Pick<PrintedLine, 'kind' | 'component' | 'reason' | 'corrects_bill_id'>

/**
 * A span that was billed before is an adjustment, and so is one that an earlier bill missed because
 * of a fact that became known later. Days not billed for any other reason are billed late, not
 * corrected.
 */
function natureOf(run: PrincipalSpan, { component, earlier, bills, facts }: Basis): LineKind {
  const covering = earlier.find(
    line =>
      line.principal !== undefined && line.from_on! <= run.from_on && run.from_on <= line.to_on!,
  )
  const corrected = covering && (covering.corrects_bill_id ?? covering.bill_id)
  const bill = corrected
    ? bills.find(one => one.id === corrected)
    : bills.find(one => one.period_from <= run.from_on && run.from_on <= one.period_to)
  const reason = bill && reasonOf(run, bill.ran_at, facts)
  if (corrected) {
    const why = reason ?? 'RECALCULATED'
    return { kind: 'ADJUSTMENT', component, reason: why, corrects_bill_id: corrected }
  }
  if (!bill || !reason) return { kind: component, component }
  return { kind: 'ADJUSTMENT', component, reason, corrects_bill_id: bill.id }
}

/** Merges adjacent spans whose lines differ only in their days. */
function joined<T extends LineKind & { run: PrincipalSpan }>(runs: readonly T[]): T[] {
  const result: T[] = []
  for (const one of runs) {
    const last = result.at(-1)
    const alike =
      last?.run.until_on === one.run.from_on &&
      last.run.principal === one.run.principal &&
      last.kind === one.kind &&
      last.reason === one.reason &&
      last.corrects_bill_id === one.corrects_bill_id
    if (alike) result.push({ ...result.pop()!, run: { ...last.run, until_on: one.run.until_on } })
    else result.push(one)
  }
  return result
}

function figuresOf({ from_on, until_on, principal }: PrincipalSpan, rate_ppm: number) {
  const days = daysBetween(from_on, until_on)
  const amount = toWire(roundHalfEven(accrue(principal, rate_ppm, days)))
  const to_on = addDays(until_on, -1)
  return { from_on, to_on, days, principal: toWire(principal), rate_ppm, amount }
}

/** In cents: rounding adds at most one for each line and one for the total. */
const roundingMax = (lines: number) => BigInt(lines + 1)

/**
 * The lines for the part of the amount that the given lines do not explain: a lapse or its
 * reversal, rounding, or an adjustment without a recorded reason. `rounded` is the number of lines,
 * including those of 0.
 */
function restOf(basis: Basis, lines: readonly PrintedLine[], rounded: number): PrintedLine[] {
  const { component, steps, rate_ppm, end, billed, earlier, amount, is_written_off } = basis
  const rest = amount - sumOf(lines)
  if (is_written_off && rest !== 0n) return [{ ...lapse(component, rest), reason: 'WRITE_OFF' }]
  // A returned payout reverses the write-off, and with it the lapse.
  const lapsed = sumOf(earlier.filter(line => line.kind === 'LAPSED'))
  const undone: PrintedLine[] =
    lapsed === 0n ? [] : [{ ...lapse(component, -lapsed), reason: 'PAYOUT_RETURNED' }]
  const rounding = rest + lapsed
  if (rounding === 0n) return undone
  const exact = accruedTo(steps, rate_ppm, end)
  const isRounding =
    rounding === roundHalfEven(exact) - billed - sumOf([...lines, ...undone]) &&
    absAmount(rounding) <= roundingMax(rounded + earlier.length)
  const line: PrintedLine = isRounding
    ? {
        kind: 'ROUNDING',
        component,
        days: 0,
        amount: toWire(rounding),
        exact_to_date_microcents: toWire(exact),
        billed_before: toWire(billed),
      }
    : {
        kind: 'ADJUSTMENT',
        component,
        days: 0,
        amount: toWire(rounding),
        reason: 'NOT_RECORDED',
      }
  return [...undone, line]
}

function lapse(component: Component, amount: bigint): PrintedLine {
  return { kind: 'LAPSED', component, days: 0, amount: toWire(amount) }
}

function sumOf(lines: readonly { readonly amount: number }[]): bigint {
  return lines.reduce((sum, line) => sum + BigInt(line.amount), 0n)
}
