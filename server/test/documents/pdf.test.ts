/** PDF rendering: identical bytes, unusual names, and the header and footer. */
import { describe, expect, test } from 'vitest'
import type { Block, PaperDocument } from '../../src/integrations/documents/blocks.ts'
import {
  billDocument,
  contractDocument,
  drawPdf,
  mandateDocument,
} from '../../src/integrations/documents/index.ts'
import { printable } from '../../src/integrations/documents/typeface.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { billInput, contractInput, LENDER, mandateInput, party, readPdf } from './samples.ts'

function paperWith(blocks: Block[], title = 'Paper'): PaperDocument {
  return {
    id: 'doc-7',
    title,
    language: 'en',
    issued_on: day('2026-07-01'),
    letterhead: { name: LENDER.name, lines: LENDER.address },
    imprint: LENDER.registration,
    page_label: 'Page {n} of {m}',
    blocks,
  }
}

const paragraph = (text: string): Block => ({ kind: 'paragraph', text })

test('equal documents give equal bytes, whatever was rendered in between', async () => {
  const draw = () => drawPdf(LENDER_ID, contractDocument(contractInput('DE', 'de')))
  const first = await draw()
  // Ligatures and spaces in a different order must leave no trace in shared fonts.
  await drawPdf(LENDER_ID, paperWith([paragraph('ﬁ fi ﬂ\u00A0ffi \u202F – ‑ é e\u0301 Ω Ж')]))
  await drawPdf(LENDER_ID, billDocument(billInput('FR', 'fr')))
  expect((await draw()).equals(first)).toBe(true)
})

test('documents rendered concurrently do not affect each other', async () => {
  const draw = () => drawPdf(LENDER_ID, mandateDocument(mandateInput('NL', 'nl')))
  const alone = await draw()
  const together = await Promise.all([
    draw(),
    drawPdf(LENDER_ID, paperWith([paragraph('other')])),
    draw(),
  ])
  expect(together[0].equals(alone)).toBe(true)
  expect(together[2].equals(alone)).toBe(true)
})

test('a different document has a different file identifier', async () => {
  const idOf = async (paper: PaperDocument) =>
    /\/ID \[<([0-9a-f]+)>/i.exec((await drawPdf(LENDER_ID, paper)).toString('latin1'))![1]
  const one = paperWith([paragraph('text')])
  expect(await idOf(one)).not.toBe(await idOf({ ...one, id: 'doc-8' }))
})

test('the creation date is the day of issue, not the clock', async () => {
  const bytes = await drawPdf(LENDER_ID, paperWith([paragraph('text')]))
  expect(bytes.toString('latin1')).toContain('(D:20260701000000Z)')
})

test('Western European letters and the euro sign are shown and can be extracted', async () => {
  const letters = 'é à ç œ Œ ï ß ñ Ñ ü ö ä Å ø ¿ ¡ « » „ “ ” ’ – — · × € § º ij Ÿ'
  const { text } = await readPdf(await drawPdf(LENDER_ID, paperWith([paragraph(letters)])))
  expect(text).toContain(letters)
})

describe('unusual names', () => {
  const names: [string, string, string][] = [
    ['Cyrillic', 'ООО «Ромашка»', 'ООО «Ромашка»'],
    ['Greek', 'Ελληνικά Τρόφιμα Α.Ε.', 'Ελληνικά Τρόφιμα Α.Ε.'],
    ['Polish, Czech, Turkish', 'Łukasz Dvořák Gökçeoğlu', 'Łukasz Dvořák Gökçeoğlu'],
    ['emoji', 'Café 😀 Rire', 'Café \uFFFD Rire'],
    ['Chinese', '中国 Bank', '\uFFFD\uFFFD Bank'],
    ['decomposed accents', 'Cafe\u0301', 'Café'],
    ['direction marks', 'abc\u202Efdp.exe', 'abcfdp.exe'],
    ['line breaks', 'one\r\ntwo\tthree', 'one two three'],
    ['control characters', 'a\u0000b\u0007c', 'abc'],
    ['a lone surrogate', 'x\uD800y', 'x\uFFFDy'],
    ['PDF syntax', 'a) Tj /Evil <</JS (x)>>', 'a) Tj /Evil <</JS (x)>>'],
  ]

  test.each(names)('%s', async (_, name, shown) => {
    expect(printable(name)).toBe(shown)
    const borrower = { ...party('FR'), name }
    const paper = contractDocument({
      ...contractInput('FR', 'fr'),
      borrower,
      lender: { ...LENDER, name },
    })
    const { text } = await readPdf(await drawPdf(LENDER_ID, paper))
    expect(text).toContain(shown)
    expect(text).toContain('SIREN 404833048')
  })

  test('a name of thousands of letters is cut, and the rest is unaffected', async () => {
    const name = `Donau${'dampfschifffahrt'.repeat(400)}`
    const lender = { ...LENDER, name }
    const borrower = { ...party('DE'), name, address: [name] }
    const line = { ...billInput('DE', 'de').lines[0]!, borrower: name, loan_reference: name }
    const bill = { ...billInput('DE', 'de'), lender, payer: borrower, lines: [line] }
    for (const paper of [
      contractDocument({ ...contractInput('DE', 'de'), lender, borrower }),
      mandateDocument({ ...mandateInput('DE', 'de'), lender, debtor: borrower }),
      billDocument({ ...bill, total: 1_667n }),
    ]) {
      const { text } = await readPdf(await drawPdf(LENDER_ID, paper))
      expect(text).toContain('Donaudampfschiff')
      expect(text).toContain('FR76 3000 6000 0112 3456 7890 189')
    }
  })

  test('an empty name leaves a gap and breaks nothing', async () => {
    const borrower = { ...party('FR'), name: '', address: [''] }
    const { text } = await readPdf(
      await drawPdf(LENDER_ID, contractDocument({ ...contractInput('FR', 'fr'), borrower })),
    )
    expect(text).toContain('SIREN 404833048')
  })
})

test('every page carries the document id, its number and the imprint', async () => {
  const blocks = Array.from({ length: 60 }, (_, i) =>
    paragraph(`Clause ${i}. ${'word '.repeat(60)}`),
  )
  const { pages } = await readPdf(await drawPdf(LENDER_ID, paperWith(blocks)))
  expect(pages.length).toBeGreaterThan(3)
  pages.forEach((page, i) => {
    expect(page).toContain('doc-7')
    expect(page).toContain(LENDER.registration)
    expect(page).toContain(`Page ${i + 1} of ${pages.length}`)
  })
})

test('a paragraph longer than a page continues over the pages', async () => {
  const { pages } = await readPdf(
    await drawPdf(LENDER_ID, paperWith([paragraph(`${'long text '.repeat(2000)}the end`)])),
  )
  expect(pages.length).toBeGreaterThan(2)
  expect(pages.at(-1)).toContain('the end')
})
