/** The type of a printed bill line, as stored. See docs/decisions/0034. */
import type { BILL_LINE_REASONS } from '@headroom/contract'
import type { Day } from '../../platform/kit/dates.ts'

export type Reason = (typeof BILL_LINE_REASONS)[number]

/** The lender's interest, or the mark-up the partner adds. */
export type Component = 'INTEREST' | 'PARTNER_MARK_UP'

/** A stored line; fields that do not apply to its kind are absent. */
export interface PrintedLine {
  readonly kind: Component | 'ADJUSTMENT' | 'LAPSED' | 'ROUNDING'
  readonly component: Component
  /** Cents. For a line with a principal: principal × rate × days, rounded half even. */
  readonly amount: number
  readonly days: number
  readonly from_on?: Day
  /** The last day, inclusive. */
  readonly to_on?: Day
  /** Cents; for an adjustment, the difference from the principal billed before. */
  readonly principal?: number
  readonly rate_ppm?: number
  readonly reason?: Reason
  readonly corrects_bill_id?: string
  /** For rounding: the exact interest up to the end of the period. */
  readonly exact_to_date_microcents?: number
  readonly billed_before?: number
}

/** A line printed for the same loan on another valid bill. */
export type EarlierLine = PrintedLine & { readonly bill_id: string }
