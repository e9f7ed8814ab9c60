/** The texts an interest bill needs in each language. */
import type { BillItem, BillItemKind } from '../../types.ts'

export type BillTexts = {
  title: string
  title_credit: string
  issued_on: string
  /** A period between two days that are already formatted. */
  from_to: (from: string, to: string) => string
  due_on: string
  payer: string
  to_pay: string
  credited: string
  amends: (number: string, issued: string) => string
  detail: string
  rate_note: string
  loan: string
  from: string
  to: string
  days: string
  outstanding: string
  rate: string
  amount: string
  interest_total: string
  /** Labels of items other than interest. */
  extras: Record<Exclude<BillItemKind, 'INTEREST'>, string>
  /** `number` is the corrected bill's, or null if it was not recorded. */
  adjustment: (number: string | null, reason: string) => string
  reasons: Record<NonNullable<BillItem['reason']>, string>
  lapsed: string
  rounding: (exact: string, before: string) => string
  summary: string
  total: string
  prepaid: string
  unpaid: string
  kept: string
  set_off: string
  paid_back: (day: string, iban: string) => string
  payment: string
  prenotification: (amount: string, day: string) => string
  transfer_note: (day: string) => string
  plan_note: string
  wallet_note: (day: string) => string
  nothing_to_pay: string
}
