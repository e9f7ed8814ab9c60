/** The typeface of all documents: Noto Sans, embedded, and which characters it can show. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { create, type Font, type GlyphRun } from 'fontkit'
import { assert } from '../../platform/kit/assert.ts'

export type Weight = 'regular' | 'bold'

const FILES: Record<Weight, string> = {
  regular: 'NotoSans-Regular.ttf',
  bold: 'NotoSans-Bold.ttf',
}

const loaded = new Map<Weight, Font>()

/** The parsed font. Parsing costs a tenth of a second, so it is done once and shared. */
export function typeface(weight: Weight): Font {
  const known = loaded.get(weight)
  if (known) return known
  const entry = createRequire(import.meta.url).resolve('@embedpdf/fonts-latin')
  const font = create(readFileSync(join(dirname(entry), '..', 'fonts', FILES[weight])))
  assert('layout' in font, `${FILES[weight]} holds one font`)
  settleGlyphs(font)
  rememberWords(font)
  loaded.set(weight, font)
  return font
}

/**
 * A glyph remembers the first characters it was asked for, and they are written into the file
 * as its meaning. Asking for all of them once, in a fixed order, keeps a document's bytes
 * independent of what was drawn before it.
 */
function settleGlyphs(font: Font) {
  font.layout('ff fi fl ffi ffl')
  for (const character of font.characterSet) font.glyphForCodePoint(character)
}

const WORDS_MAX = 10_000

/**
 * Shaping words is most of the work of drawing, and documents say the same words. pdfkit scales
 * the positions that it gets where they are: it gets new ones each time.
 */
function rememberWords(font: Font) {
  const shape = font.layout.bind(font)
  const known = new Map<string, GlyphRun>()
  font.layout = (word, ...wishes) => {
    if (wishes.some(wish => wish !== undefined)) return shape(word, ...wishes)
    const run = known.get(word) ?? shape(word)
    if (known.size >= WORDS_MAX) known.clear()
    known.set(word, run)
    const positions = run.positions.map(position => ({ ...position }))
    return Object.assign(Object.create(Object.getPrototypeOf(run)), run, { positions })
  }
}

const REPLACEMENT = '\uFFFD'
// Setting a word longer than a line costs time by the square of its length: breaks are put in.
const LONG_WORD = /[^ ]{61,}/gu
const PIECE = /.{1,30}/gu
const BREAK = '\u200B'
// Controls, marks of writing direction, zero-width characters and variation selectors: invisible
// on paper, and some of them could make a name read as another.
const INVISIBLE = /\p{Cc}|\p{Cf}|[\u2028\u2029]|[\uFE00-\uFE0F]/gu

/** Asking the font for each letter of a text is slow. */
let shown: ReadonlySet<number> | null = null

/**
 * The text as it can be printed: composed, on one line, without invisible characters, and with
 * U+FFFD for each character that the typeface lacks (emoji, scripts beyond Latin, Greek and
 * Cyrillic). Words of more than 60 letters may break every 30 letters.
 */
export function printable(text: string): string {
  shown ??= new Set(typeface('regular').characterSet)
  const plain = text
    .normalize('NFC')
    .replace(/[\t\r\n]+/g, ' ')
    .replace(INVISIBLE, '')
  let out = ''
  for (const character of plain) {
    out += shown.has(character.codePointAt(0)!) ? character : REPLACEMENT
  }
  return out.replace(LONG_WORD, word => word.match(PIECE)!.join(BREAK))
}
