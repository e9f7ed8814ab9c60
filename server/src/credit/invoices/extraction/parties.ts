/** Finds seller and buyer by the headings above company numbers. Pure. */
import { COUNTRIES } from '@headroom/contract/countries'
import {
  type IdentifierType,
  NUMBERS_ON_INVOICES,
  parseCompanyIdentifier,
} from '../../../countries/index.ts'
import { type Cell, plain } from './layout.ts'
import { LABELS } from './words.ts'

export interface FoundParty {
  readonly identifier: string
  readonly identifier_type: IdentifierType
  /** The name below the heading; null if none. */
  readonly name: string | null
}

type Side = 'seller' | 'buyer'
type Found = { cell: Cell; identifier: string; type: IdentifierType; key: string }

/** VAT numbers begin with a country prefix. */
const VAT_NUMBER = new RegExp(
  `\\b((?:${COUNTRIES.join('|')})[ .]?[A-Z0-9](?:[ .]?[A-Z0-9]){7,12})\\b`,
  'g',
)

/** In points: numbers further from a heading's left edge belong to another column. */
const COLUMN = 50
const BELOW_MAX = 200

/**
 * The seller's and buyer's company numbers. Each number belongs to the nearest heading above it.
 * Without a heading, it goes to the seller or else to the buyer, if that side has no number yet.
 */
export function partiesOf(lines: readonly Cell[][]): { [S in Side]: FoundParty | null } {
  const cells = lines.flat()
  const found = cells.flatMap(numbersIn)
  const headings = cells.flatMap(cell => sideOf(cell))
  const sides: { [S in Side]: Found[] } = { seller: [], buyer: [] }
  const loose: Found[] = []
  for (const number of found) {
    const side = headingOver(number.cell, headings)?.side
    if (side) sides[side].push(number)
    else loose.push(number)
  }
  for (const number of loose) {
    const taken = [...sides.seller, ...sides.buyer].some(f => f.key === number.key)
    if (taken) continue
    if (sides.seller.length === 0) sides.seller.push(number)
    else if (sides.buyer.length === 0) sides.buyer.push(number)
  }
  return { seller: partyOf('seller'), buyer: partyOf('buyer') }

  function partyOf(side: Side): FoundParty | null {
    // A registration number is more specific than a VAT number.
    const best = sides[side].find(f => f.type !== 'vat_number') ?? sides[side][0]
    if (!best) return null
    const heading = headings.find(h => h.side === side)
    const name = heading ? nameUnder(heading.cell, cells) : null
    return { identifier: best.identifier, identifier_type: best.type, name }
  }
}

function numbersIn(cell: Cell): Found[] {
  const labelled = NUMBERS_ON_INVOICES.flatMap(([pattern, type]) => {
    const text = pattern.exec(cell.text)?.[1]
    return text ? [[text, type] as const] : []
  })
  const vats = [...cell.text.matchAll(VAT_NUMBER)].map(m => [m[1]!, 'vat_number'] as const)
  return [...labelled, ...vats].flatMap(([text, type]) => {
    const result = parseCompanyIdentifier(text, type)
    if (!result.ok) return []
    const { identifier, company_key: key } = result
    return [{ cell, identifier, type: result.identifier_type, key }]
  })
}

type Heading = { cell: Cell; side: Side }

function sideOf(cell: Cell): Heading[] {
  const text = plain(cell.text)
  if (LABELS.seller.test(text)) return [{ cell, side: 'seller' }]
  return LABELS.buyer.test(text) ? [{ cell, side: 'buyer' }] : []
}

function headingOver(cell: Cell, headings: readonly Heading[]): Heading | undefined {
  const above = headings.filter(
    h =>
      h.cell.page === cell.page &&
      h.cell.y >= cell.y &&
      h.cell.y - cell.y < BELOW_MAX &&
      Math.abs(h.cell.x - cell.x) < COLUMN,
  )
  return above.toSorted((a, b) => a.cell.y - b.cell.y)[0]
}

/** The first line under a heading and in its column, unless it is a company number. */
function nameUnder(heading: Cell, cells: readonly Cell[]): string | null {
  const [below, next] = cells
    .filter(c => c.page === heading.page && c.y < heading.y && Math.abs(c.x - heading.x) < COLUMN)
    .toSorted((a, b) => b.y - a.y)
  if (!below || numbersIn(below).length > 0) return null
  // A long name may wrap before a bracket: UG (haftungsbeschränkt).
  const rest = next?.text.startsWith('(') ? ` ${next.text}` : ''
  const name = `${below.text}${rest}`
    .replace(/\p{Cc}/gu, ' ')
    .toWellFormed()
    .trim()
  return name.slice(0, 200) || null
}
