/** The figures of an invoice: number, dates and amounts. */
import type { Day } from '../../platform/kit/dates.ts'

/** Amounts in cents; null if missing. */
export interface InvoiceFigures {
  readonly invoice_number: string | null
  readonly currency: string
  readonly issued_on: Day | null
  readonly due_on: Day | null
  readonly net_amount: bigint | null
  readonly tax_amount: bigint | null
  readonly total_amount: bigint | null
  readonly to_pay_amount: bigint | null
}
