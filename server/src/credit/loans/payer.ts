/** Determines who pays a loan's fees: its `payer_id`, which links loans to bills. */
import type { FeesPayer } from '../../money/partner-terms/index.ts'

export interface Fees {
  fees_payer: FeesPayer
  mark_up_ppm: number
}

interface Terms {
  readonly fees_payer: string
  readonly partner_id: string
  readonly borrower_id: string
}

export function payerOf({ fees_payer, partner_id, borrower_id }: Terms): string {
  return fees_payer === 'PARTNER' ? partner_id : borrower_id
}
