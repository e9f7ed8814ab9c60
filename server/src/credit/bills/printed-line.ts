/** A line that a bill prints of a loan, as it is stored; docs/decisions/0034. */
import type { BILL_LINE_REASONS } from '@headroom/contract'
import type { Day } from '../../platform/kit/dates.ts'

/**
 * REPAYMENT_VALUED_EARLIER: a repayment became known whose value date lies in a billed period;
 * COLLECTION_RETURNED, PAYOUT_RETURNED: money came back; INTEREST_STOPPED, WRITE_OFF: interest
 * ended; RECALCULATED: any other fact; NOT_RECORDED: from before reasons were recorded.
 */
export type Reason = (typeof BILL_LINE_REASONS)[number]

/** The lender's interest, or what the partner adds to it. */
export type Component = 'INTEREST' | 'PARTNER_MARK_UP'

/** A line as it is stored; what does not apply to its kind is left out. */
export interface PrintedLine {
  readonly kind: Component | 'ADJUSTMENT' | 'LAPSED' | 'ROUNDING'
  readonly component: Component
  /** Cents: principal × rate × days, rounded half even. */
  readonly amount: number
  readonly days: number
  readonly from_on?: Day
  /** The last day, counted in. */
  readonly to_on?: Day
  /** Cents; an adjustment has the difference from what was billed before. */
  readonly principal?: number
  readonly rate_ppm?: number
  /** Why an adjustment, or a lapse, is made. */
  readonly reason?: Reason
  readonly corrects_bill_id?: string
  /** Rounding: all interest to the end of the period, exact, and what was billed of it before. */
  readonly exact_to_date_microcents?: number
  readonly billed_before?: number
}

/** A line of the loan on another valid bill. */
export type EarlierLine = PrintedLine & { readonly bill_id: string }
