/** Which parties of a SEPA payment are outside the European Economic Area. */

const EEA = new Set(
  'AT BE BG HR CY CZ DE DK EE ES FI FR GR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(
    ' ',
  ),
)

/**
 * Whether an account is in a country of SEPA outside the EEA, such as Switzerland or the United
 * Kingdom. Payments there need the bank's BIC, and the debtor's town and country.
 */
export function isOutsideEea(iban: string): boolean {
  return !EEA.has(iban.slice(0, 2))
}
