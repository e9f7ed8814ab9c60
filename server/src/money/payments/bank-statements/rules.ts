/** Whether a statement ties, alone and with its neighbours. Amounts are cents. */
import { type Day, yearOf } from '../../../platform/kit/dates.ts'
import { euros } from '../../../platform/kit/money.ts'

/** What a statement says of itself, beside its entries. */
export interface StatementFigures {
  readonly statement_id: string
  readonly sequence: number
  readonly from_on: Day
  readonly to_on: Day
  readonly opening: bigint
  readonly closing: bigint
}

/** What the entries of a statement come to. What they are is checked before any is booked. */
export interface EntryTotals {
  /** Received less sent. */
  readonly moved: bigint
  /** Whether their places are 1, 2, 3 and so on. */
  readonly is_numbered: boolean
  /**
   * A reference that two of them have, or another booked statement of the account; null if there
   * is none.
   */
  readonly repeated: string | null
  /** A kind that no bank news has; null if all are known. */
  readonly unknown_kind: string | null
  /** Whether an amount is negative. */
  readonly has_negative: boolean
  /** The latest booking date; null without entries. */
  readonly last_booked_on: Day | null
}

/**
 * The booked statements of the account that are nearest by last day and number. A statement with
 * the same day and number comes before.
 */
export interface Neighbours {
  /** The day whose closing balance the books began with, if any. */
  readonly opened_on: Day | null
  readonly before: StatementFigures | undefined
  readonly after: StatementFigures | undefined
}

/** Why a statement is refused; null if it ties. */
export function reasonToRefuse(
  statement: StatementFigures,
  entries: EntryTotals,
  neighbours: Neighbours,
): string | null {
  return reasonOfItself(statement, entries) ?? reasonBesideOthers(statement, neighbours)
}

function reasonOfItself(
  { opening, closing, from_on, to_on }: StatementFigures,
  entries: EntryTotals,
): string | null {
  const { moved, repeated, unknown_kind, last_booked_on } = entries
  if (to_on < from_on) return `its last day, ${to_on}, is before its first, ${from_on}`
  if (!entries.is_numbered) return 'its entries are not numbered without gaps'
  if (entries.has_negative) return 'an entry has a negative amount'
  if (unknown_kind !== null) return `an entry has the unknown kind ${unknown_kind}`
  if (repeated !== null) return `entry ${repeated} is on it twice, or on another booked statement`
  const sum = opening + moved
  if (sum !== closing) {
    return (
      `it opens with ${euros(opening)} and its entries come to ${euros(moved)}, which ` +
      `makes ${euros(sum)}, not its closing balance of ${euros(closing)}`
    )
  }
  if (last_booked_on && last_booked_on > to_on) {
    return `an entry is booked on ${last_booked_on}, after its last day, ${to_on}`
  }
  return null
}

/**
 * Numbers that count on must have balances that do. Days that another statement has are booked
 * already, unless a bank sends several statements a day and this is the very next one.
 */
function reasonBesideOthers(
  statement: StatementFigures,
  { opened_on, before, after }: Neighbours,
): string | null {
  const { opening, closing, from_on, to_on } = statement
  if (opened_on && from_on <= opened_on) {
    return `it has days up to ${opened_on}, which the account's opening balance contains`
  }
  if (before && isNext(statement, before) && before.closing !== opening) {
    const closed = `${before.statement_id} closed with ${euros(before.closing)}`
    return `it opens with ${euros(opening)}, and ${closed}`
  }
  if (after && isNext(after, statement) && after.opening !== closing) {
    const opened = `${after.statement_id} opens with ${euros(after.opening)}`
    return `it closes with ${euros(closing)}, and ${opened}`
  }
  if (before && before.to_on >= from_on && !continues(statement, before)) return overlap(before)
  if (after && after.from_on <= to_on && !continues(after, statement)) return overlap(after)
  return null
}

function overlap({ statement_id, from_on, to_on }: StatementFigures): string {
  return `${statement_id} is booked for ${from_on} to ${to_on}, which are days of this one too`
}

function continues(later: StatementFigures, earlier: StatementFigures): boolean {
  return follows(later, earlier) && later.from_on >= earlier.to_on
}

function isNext(later: StatementFigures, earlier: StatementFigures): boolean {
  return later.sequence === earlier.sequence + 1
}

/**
 * Whether no statement is missing between two. Numbers may begin again with a new year; then only
 * the balances show whether the first of the year follows the last one before.
 */
export function follows(later: StatementFigures, earlier: StatementFigures): boolean {
  if (later.opening !== earlier.closing) return false
  if (isNext(later, earlier)) return true
  return later.sequence === 1 && yearOf(later.to_on) > yearOf(earlier.to_on)
}
