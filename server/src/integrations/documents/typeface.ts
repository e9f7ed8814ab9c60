/** The typeface of all documents (Noto Sans, embedded) and the characters it can show. */
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

/** The parsed font. Parsing is slow, so it is done once. */
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
 * A glyph stores the first characters it was looked up for, which become its text in the PDF.
 * Looking up every character once, in a fixed order, makes a document's bytes independent of what
 * was rendered before.
 */
function settleGlyphs(font: Font) {
  font.layout('ff fi fl ffi ffl')
  for (const character of font.characterSet) font.glyphForCodePoint(character)
}

const WORDS_MAX = 10_000

/**
 * Caches shaped words: shaping takes most of the rendering time, and documents repeat words.
 * Returns new positions each time, because pdfkit scales them in place.
 */
function rememberWords(font: Font) {
  const shape = font.layout.bind(font)
  const known = new Map<string, GlyphRun>()
  font.layout = (word, ...options) => {
    if (options.some(option => option !== undefined)) return shape(word, ...options)
    const run = known.get(word) ?? shape(word)
    if (known.size >= WORDS_MAX) known.clear()
    known.set(word, run)
    const positions = run.positions.map(position => ({ ...position }))
    return Object.assign(Object.create(Object.getPrototypeOf(run)), run, { positions })
  }
}

const REPLACEMENT = '\uFFFD'
// Laying out a word longer than a line takes quadratic time, so break opportunities are inserted.
const LONG_WORD = /[^ ]{61,}/gu
const PIECE = /.{1,30}/gu
const BREAK = '\u200B'
// Control characters, directional marks, zero-width characters and variation selectors: invisible
// on paper, and some could disguise a name.
const INVISIBLE = /\p{Cc}|\p{Cf}|[\u2028\u2029]|[\uFE00-\uFE0F]/gu

/** Looking up each letter in the font is slow, so the supported characters are cached. */
let shown: ReadonlySet<number> | null = null

/**
 * The printable form of a text: composed, on one line, without invisible characters, and with
 * U+FFFD for characters missing in the typeface (emoji, scripts beyond Latin, Greek and Cyrillic).
 * Words of more than 60 letters may break every 30 letters.
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
