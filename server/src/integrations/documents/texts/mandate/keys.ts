/** The texts a mandate needs in each language. */
import type { MandateScheme } from '../../types.ts'

export type MandateTexts = {
  title: Record<MandateScheme, string>
  /** The authorization and the debtor's rights, as in the rulebooks' translations. */
  authorisation: Record<MandateScheme, (creditor: string) => string>
  /** Advice in addition to the prescribed text. */
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
