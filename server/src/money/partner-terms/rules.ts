/** Who pays the fees of a loan. Pure. */

export type FeesPayer = 'BORROWER' | 'PARTNER'

interface Terms {
  readonly repayment_handled_by: string
  readonly fees_mode: string
}

/**
 * The partner pays fees that it bears itself, and fees of loans whose repayment it handles, which
 * it collects from its borrowers.
 */
export function feesPayerOf({ repayment_handled_by, fees_mode }: Terms): FeesPayer {
  const by_partner = repayment_handled_by === 'PARTNER' || fees_mode === 'TRANSFERRED'
  return by_partner ? 'PARTNER' : 'BORROWER'
}
