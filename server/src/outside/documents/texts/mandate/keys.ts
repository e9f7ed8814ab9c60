/** The words of a mandate, by scheme where the European Payments Council prescribes them. */
import type { MandateScheme } from '../../types.ts'

export type MandateTexts = {
  title: Record<MandateScheme, string>
  /** The authorisation and the debtor's rights, as the rulebooks' translations have them. */
  authorisation: Record<MandateScheme, (creditor: string) => string>
  /** Advice beside the prescribed text. */
  note: Record<MandateScheme, string>
  creditor: string
  debtor: string
  account: string
  payment_type: string
  recurrent: string
  signed_on: string
  signatory: string
  signature: string
  electronic: string
}
