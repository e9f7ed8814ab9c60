/** Who pays the fees of a loan. Pure. */

export type FeesPayer = 'BORROWER' | 'PARTNER'

interface Terms {
  readonly repayment_handled_by: string
  readonly fees_mode: string
}

/**
 * Who pays the fees. The partner pays those it has taken over (`TRANSFERRED`), and the fees of
 * loans whose repayments it handles, because it collects from its borrowers itself.
 */
export function feesPayerOf({ repayment_handled_by, fees_mode }: Terms): FeesPayer {
  const by_partner = repayment_handled_by === 'PARTNER' || fees_mode === 'TRANSFERRED'
  return by_partner ? 'PARTNER' : 'BORROWER'
}
