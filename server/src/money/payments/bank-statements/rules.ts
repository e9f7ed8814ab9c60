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

/** What the entries of a statement come to. */
export interface EntryTotals {
  /** Received less sent. */
  readonly moved: bigint
  readonly count: number
  readonly last_place: number
  /** The latest booking date; null without entries. */
  readonly last_booked_on: Day | null
}

/**
 * Why a statement is refused; null if it ties. The neighbours are the nearest booked statements of
 * the account; they count only if none is missing between.
 */
export function reasonToRefuse(
  statement: StatementFigures,
  entries: EntryTotals,
  neighbours: {
    readonly before: StatementFigures | undefined
    readonly after: StatementFigures | undefined
  },
): string | null {
  const { opening, closing, to_on } = statement
  const sum = opening + entries.moved
  if (entries.count !== entries.last_place) return 'its entries are not numbered without gaps'
  if (sum !== closing) {
    return (
      `it opens with ${euros(opening)} and its entries come to ${euros(entries.moved)}, which ` +
      `makes ${euros(sum)}, not its closing balance of ${euros(closing)}`
    )
  }
  if (entries.last_booked_on && entries.last_booked_on > to_on) {
    return `an entry is booked on ${entries.last_booked_on}, after its last day, ${to_on}`
  }
  const { before, after } = neighbours
  if (before && follows(statement, before) && before.closing !== opening) {
    return `it opens with ${euros(opening)}, and ${closed(before)}`
  }
  if (after && follows(after, statement) && after.opening !== closing) {
    const opened = `${after.statement_id} opens with ${euros(after.opening)}`
    return `it closes with ${euros(closing)}, and ${opened}`
  }
  return null
}

function closed({ statement_id, closing }: StatementFigures): string {
  return `${statement_id} closed with ${euros(closing)}`
}

type Place = Pick<StatementFigures, 'sequence' | 'to_on'>

/** Whether a statement is the next one after another. Numbers may begin again with a new year. */
export function follows(later: Place, earlier: Place): boolean {
  if (later.sequence === earlier.sequence + 1) return true
  return later.sequence === 1 && yearOf(later.to_on) > yearOf(earlier.to_on)
}
