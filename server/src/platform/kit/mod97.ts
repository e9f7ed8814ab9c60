/** ISO 7064 mod 97-10: the check digits of IBANs, creditor references and creditor identifiers. */

/** The remainder modulo 97 of capitals and digits read as one number, A = 10 to Z = 35. */
export function mod97(text: string): number {
  let remainder = 0
  for (const character of text) {
    const value = Number.parseInt(character, 36)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder
}

/** The two check digits (02 to 98) between a `prefix` and a `body`. */
export function checkDigits(prefix: string, body: string): string {
  return String(98 - mod97(`${body}${prefix}00`)).padStart(2, '0')
}

/**
 * True when `digits` equals `checkDigits`. 00, 01 and 99 would pass a plain mod 97 check in place
 * of 97, 98 and 02, but are never issued, so they fail here.
 */
export function hasCheckDigits(prefix: string, digits: string, body: string): boolean {
  return digits === checkDigits(prefix, body)
}
