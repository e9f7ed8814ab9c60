/** Tells the banks of a lender apart. Pure. */

/**
 * Names the bank of a version of the lender: its adapter, and the lender's accounts there. One
 * adapter can reach several banks, so other accounts are another bank.
 */
export function bankOf({
  adapters,
  lender,
}: {
  readonly adapters: { readonly bank: string }
  readonly lender: { readonly collection_iban: string; readonly funding_iban: string }
}): string {
  const ibans = new Set([lender.collection_iban, lender.funding_iban])
  return `${adapters.bank} (${[...ibans].join(', ')})`
}
