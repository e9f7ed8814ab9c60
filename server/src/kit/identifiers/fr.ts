/** French company numbers: SIREN (the company), SIRET (an establishment), VAT number. */
import * as FR from 'stdnum/lib/cjs/fr/index.js'
import {
  checkFault,
  compact,
  digitsFault,
  type IdentifierResult,
  type IdentifierType,
  ONE_DIGIT,
  refused,
  TWO_DIGITS,
} from './types.ts'

const LA_POSTE = '356000000'

/** A SIREN: 9 digits, Luhn. Those beginning with 000 are kept for Monaco and name no company. */
export function parseSiren(text: string): IdentifierResult {
  const siren = compact(text)
  const fault = digitsFault('a siren', siren, 9) ?? sirenFault(siren)
  return fault ? refused(fault) : french(siren, 'siren', siren)
}

/**
 * A SIRET: the SIREN and 5 digits of the establishment, Luhn over all 14. La Poste's outgrew
 * the rule: its head office passes by Luhn, the others when their digit sum divides by 5.
 */
export function parseSiret(text: string): IdentifierResult {
  const siret = compact(text)
  const fault = digitsFault('a siret', siret, 14)
  if (fault) return refused(fault)
  const siren = siret.slice(0, 9)
  const inSiren = sirenFault(siren)
  if (inSiren) return refused(`the first 9 digits of a siret are a siren, and of ${inSiren}`)
  if (FR.siret.validate(siret).isValid) return french(siret, 'siret', siren)
  const label = siren === LA_POSTE ? 'a siret of La Poste (digit sum divisible by 5)' : 'a siret'
  return refused(checkFault(label, siret, 13, ONE_DIGIT, it => FR.siret.validate(it).isValid))
}

/** A French VAT number: FR, a key of two characters, the SIREN. Monaco's name no company. */
export function parseFrenchVat(text: string): IdentifierResult {
  const vat = compact(text)
  if (!/^FR[0-9A-HJ-NP-Z]{2}[0-9]{9}$/.test(vat)) {
    return refused('a French VAT number is FR, two digits or letters (not I, O) and 9 digits')
  }
  const siren = vat.slice(4)
  if (siren.startsWith('000')) {
    return refused('FR VAT numbers with 000 after the key are from Monaco and name no company')
  }
  const inSiren = sirenFault(siren)
  if (inSiren) return refused(`a French VAT number ends with a siren, and of ${inSiren}`)
  const isValid = (candidate: string) => FR.tva.validate(candidate).isValid
  if (isValid(vat)) return french(vat, 'vat_number', siren)
  if (/[A-Z]/.test(vat.slice(2, 4))) {
    return refused(`a French VAT number: key ${vat.slice(2, 4)} does not belong to siren ${siren}`)
  }
  return refused(checkFault('a French VAT number', vat, 2, TWO_DIGITS, isValid))
}

/** The French VAT number of a SIREN, with the numeric key that the tax office gives. */
export function frenchVatOf(siren: string): string {
  const key = (12 + 3 * (Number(siren) % 97)) % 97
  return `FR${String(key).padStart(2, '0')}${siren}`
}

function sirenFault(siren: string): string | null {
  if (siren.startsWith('000')) return 'a siren: it does not begin with 000'
  const isValid = (candidate: string) => FR.siren.validate(candidate).isValid
  return isValid(siren) ? null : checkFault('a siren', siren, 8, ONE_DIGIT, isValid)
}

function french(
  identifier: string,
  identifier_type: IdentifierType,
  siren: string,
): IdentifierResult {
  return { ok: true, identifier, identifier_type, country: 'FR', company_key: `FR:${siren}` }
}
