/** Ties a statement: its opening balance plus its booked entries is its closing balance. */
import type { Balance } from './camt.ts'

/** The comparison in one currency, in hundredths. */
export interface Tie {
  readonly currency: string
  readonly opening: bigint | null
  /** Booked credits less booked debits. */
  readonly booked: bigint
  readonly closing: bigint | null
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
    const opening = openings.find(balance => balance.currency === currency)?.cents ?? null
    const closing = closings.findLast(balance => balance.currency === currency)?.cents ?? null
    const sum = booked.get(currency) ?? 0n
    const tie = { currency, opening, booked: sum, closing }
    if (openings.length === 0 || closings.length === 0) return { ...tie, ties: null }
    return { ...tie, ties: opening !== null && closing !== null && opening + sum === closing }
  })
}

/** Earliest first; balances of one day stay in the order of the file. */
function byDay(balances: readonly Balance[], type: string): Balance[] {
  return balances
    .filter(balance => balance.type === type)
    .sort((a, b) => ((a.on ?? '') < (b.on ?? '') ? -1 : Number((a.on ?? '') > (b.on ?? ''))))
}
