/** The words of an interest bill. */
import type { BillExtra } from '../../types.ts'

export type BillTexts = {
  title: string
  title_credit: string
  issued_on: string
  /** A period written out; days are named already. */
  from_to: (from: string, to: string) => string
  due_on: string
  payer: string
  to_pay: string
  credited: string
  amends: (number: string, issued: string) => string
  detail: string
  rate_note: (rate: string) => string
  loan: string
  from: string
  to: string
  days: string
  outstanding: string
  interest: string
  interest_total: string
  extras: Record<BillExtra['kind'], string>
  summary: string
  total: string
  prepaid: string
  set_off: string
  paid_back: (day: string, iban: string) => string
  payment: string
  prenotification: (amount: string, day: string) => string
  transfer_note: (day: string) => string
  wallet_note: (day: string) => string
  nothing_to_pay: string
  credit_note: string
}
