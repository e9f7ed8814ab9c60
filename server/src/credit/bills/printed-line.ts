/** The type of a printed bill line, as stored. See docs/decisions/0034. */
import type { BILL_LINE_REASONS } from '@headroom/contract'
import type { Day } from '../../platform/kit/dates.ts'

/**
 * REPAYMENT_VALUED_EARLIER: a repayment with a value date in a billed period became known later;
 * COLLECTION_RETURNED, PAYOUT_RETURNED: money was returned; INTEREST_STOPPED, WRITE_OFF: interest
 * ended; RECALCULATED: any other fact; NOT_RECORDED: older than the recording of reasons.
 */
export type Reason = (typeof BILL_LINE_REASONS)[number]

/** The lender's interest, or the mark-up the partner adds. */
export type Component = 'INTEREST' | 'PARTNER_MARK_UP'

/** A stored line; fields that do not apply to its kind are absent. */
export interface PrintedLine {
  readonly kind: Component | 'ADJUSTMENT' | 'LAPSED' | 'ROUNDING'
  readonly component: Component
  /** Cents: principal × rate × days, rounded half even. */
  readonly amount: number
  readonly days: number
  readonly from_on?: Day
  /** The last day, inclusive. */
  readonly to_on?: Day
  /** Cents; for an adjustment, the difference from the principal billed before. */
  readonly principal?: number
  readonly rate_ppm?: number
  /** The reason for an adjustment or lapse. */
  readonly reason?: Reason
  readonly corrects_bill_id?: string
  /** For rounding: the exact interest up to the end of the period, and the cents billed before. */
  readonly exact_to_date_microcents?: number
  readonly billed_before?: number
}

/** A line of the loan on another valid bill. */
export type EarlierLine = PrintedLine & { readonly bill_id: string }
