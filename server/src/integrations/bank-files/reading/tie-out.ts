/** Ties a statement: its opening balance plus its booked entries is its closing balance. */
import type { Balance } from './camt.ts'

/** The comparison in one currency, in hundredths. */
export interface Tie {
  readonly currency: string
  readonly opening: bigint | null
  /** Booked credits less booked debits. */
  readonly booked: bigint
  readonly closing: bigint | null
  /** Which balance has two different amounts for the day that counts. */
  readonly contradictory: 'opening' | 'closing' | null
  /** Null if the statement has no opening or no closing balance in any currency. */
  readonly ties: boolean | null
}

/**
 * Compares each currency that has a booked entry, an opening or a closing balance. The opening
 * balance is OPBD, else PRCD. If there are several, the earliest opening and the latest closing
 * balance count, as in statements over many days. A statement with both balances in one currency
 * must have both in every currency.
 */
export function tieOut(balances: readonly Balance[], booked: ReadonlyMap<string, bigint>): Tie[] {
  const openings = [...byDay(balances, 'OPBD'), ...byDay(balances, 'PRCD')]
  const closings = byDay(balances, 'CLBD')
  const currencies = [...booked.keys(), ...[...openings, ...closings].map(b => b.currency)]
  return [...new Set(currencies)].map(currency => {
    const first = openings.find(balance => balance.currency === currency)
    const last = closings.findLast(balance => balance.currency === currency)
    const [opening, closing] = [first?.cents ?? null, last?.cents ?? null]
    const sum = booked.get(currency) ?? 0n
    const contradictory = differs(openings, first)
      ? ('opening' as const)
      : differs(closings, last)
        ? ('closing' as const)
        : null
    const tie = { currency, opening, booked: sum, closing, contradictory }
    if (openings.length === 0 || closings.length === 0) return { ...tie, ties: null }
    const adds = opening !== null && closing !== null && opening + sum === closing
    return { ...tie, ties: adds && contradictory === null }
  })
}

/**
 * Earliest first; balances of one day stay in the order of the file. Balances between pages (INTM)
 * count only where there are no others.
 */
function byDay(balances: readonly Balance[], type: string): Balance[] {
  const own = balances.filter(balance => balance.type === type)
  const whole = own.filter(balance => balance.subtype !== 'INTM')
  return own
    .filter(({ subtype, currency }) => {
      return subtype !== 'INTM' || !whole.some(balance => balance.currency === currency)
    })
    .sort((a, b) => ((a.on ?? '') < (b.on ?? '') ? -1 : Number((a.on ?? '') > (b.on ?? ''))))
}

/** Whether another balance of the same type, currency and day has another amount. */
function differs(balances: readonly Balance[], one: Balance | undefined): boolean {
  return balances.some(
    balance =>
      one &&
      balance.type === one.type &&
      balance.subtype === one.subtype &&
      balance.currency === one.currency &&
      balance.on === one.on &&
      balance.cents !== one.cents,
  )
}
