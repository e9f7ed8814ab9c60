/** Exact amounts of bank files: from decimal text to hundredths, never through floats. */
import { fromDecimal } from '../../../platform/kit/money.ts'
import { UnreadableFile } from './unreadable.ts'

export interface Money {
  readonly currency: string
  /** Hundredths of the currency's unit. */
  readonly cents: bigint
}

/** The digits that the schemas allow in an amount. */
const DIGITS_MAX = 18

const DECIMAL = /^\+?(\d*)(?:\.(\d*))?$/

/** Hundredths from "474.4", "20000" or "1.1000"; null if it is no such amount or not that exact. */
export function readCents(text: string): bigint | null {
  const match = DECIMAL.exec(text.trim())
  if (!match) return null
  const [, whole = '', fraction = ''] = match
  const digits = whole.length + fraction.length
  if (digits === 0 || digits > DIGITS_MAX) return null
  return fromDecimal(`${whole || '0'}.${fraction || '0'}`)
}

/** An amount that counts, such as an entry's or a balance's. Throws unless it is exact. */
export function readMoney(text: string, currency: string | null, where: string): Money {
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) {
    throw new UnreadableFile(`${where} has no currency of three letters.`)
  }
  const cents = readCents(text)
  if (cents === null) {
    const shown = JSON.stringify(text.slice(0, 40))
    throw new UnreadableFile(
      `${where} is ${shown}: an amount has at most ${DIGITS_MAX} digits, and two decimals that ` +
        'are not zero.',
    )
  }
  return { currency, cents }
}
