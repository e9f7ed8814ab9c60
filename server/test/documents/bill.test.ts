/** The interest bill: every loan and sum, page after page, in every language. */
import { expect, test } from 'vitest'
import { billDocument, drawPdf } from '../../src/documents/index.ts'
import { day, formatDay } from '../../src/kit/dates.ts'
import { formatMoney } from '../../src/kit/money.ts'
import { billInput, billLine, PAIRS, party, plain, readPdf, TRANSFER } from './samples.ts'

const ARTICLES = {
  FR: 'art. 261 C',
  DE: '§ 4 Nr. 8',
  ES: 'art. 20.Uno.18.º LIVA',
  NL: 'art. 11, lid 1, onderdeel j, Wet OB 1968',
  BE: '44',
}

test.each(PAIRS)('$language in $country: loans, sums, due date, exemption', async pair => {
  const { country, language } = pair
  const read = await readPdf(await drawPdf(billDocument(billInput(country, language))))
  const money = (cents: bigint) => plain(formatMoney(cents, 'EUR', language))
  expect(read.title).toContain('B-2026-000042')
  expect(read.text).toContain(party(country).name)
  expect(read.text).toContain(formatDay(day('2026-08-05'), language))
  // Two segments of one loan, its interest once; then the other loan and the sum.
  const segments = [
    `RF18539007547034 ${formatDay(day('2026-07-01'), language)}`,
    `${formatDay(day('2026-07-10'), language)} 10 ${money(123_456n)}`,
    `${formatDay(day('2026-07-31'), language)} 21 ${money(100_000n)} ${money(1_667n)}`,
    `${formatDay(day('2026-07-30'), language)} 30 ${money(50_000n)} ${money(750n)}`,
  ]
  for (const segment of segments) expect(read.text).toContain(segment)
  expect(read.text.split(money(1_667n))).toHaveLength(2)
  expect(read.text).toContain(money(2_417n))
  expect(read.text).toContain(ARTICLES[country])
  expect(read.text).toContain('HR-2026-000123')
  expect(read.text).not.toMatch(/\b(undefined|null|NaN)\b/)
})

test('120 loans go over several pages, each with its header and number', async () => {
  const lines = Array.from({ length: 120 }, (_, i) => billLine(i + 1, (i % 31) + 1, BigInt(i * 7)))
  const total = lines.reduce((sum, line) => sum + line.interest, 0n)
  const paper = billDocument({ ...billInput('NL', 'en'), lines, total })
  const read = await readPdf(await drawPdf(paper))
  expect(read.pages.length).toBeGreaterThanOrEqual(4)
  read.pages.forEach((page, i) => {
    expect(page).toContain(`Page ${i + 1} of ${read.pages.length}`)
    expect(page).toContain('B-2026-000042')
    if (page.includes('LOAN-0')) expect(page).toContain('Loan From To Days Outstanding Interest')
  })
  for (const [i, line] of lines.entries()) {
    const end = formatDay(line.segments[0]!.to, 'en')
    const sums = `€500.00 ${formatMoney(line.interest, 'EUR', 'en')}`
    const row = `${line.loan_reference} 1 July 2026 ${end} ${(i % 31) + 1} ${sums}`
    expect(read.pages.filter(page => page.includes(row))).toHaveLength(1)
  }
  expect(read.text).toContain(`Total interest ${formatMoney(total, 'EUR', 'en')}`)
})

test('rows of one loan stay on one page', async () => {
  const split = (i: number) => ({
    ...billLine(i, 5, 100n),
    borrower: `Borrower ${i}`,
    segments: [0, 1, 2].map(() => billLine(i, 5, 0n).segments[0]!),
  })
  const lines = Array.from({ length: 40 }, (_, i) => split(i + 1))
  const paper = billDocument({ ...billInput('FR', 'en'), lines, total: 4_000n })
  const { pages } = await readPdf(await drawPdf(paper))
  expect(pages.length).toBeGreaterThan(2)
  for (let i = 1; i <= 40; i++) {
    const number = String(i).padStart(4, '0')
    const home = pages.filter(page => page.includes(`LOAN-${number}`))
    expect(home).toHaveLength(1)
    expect(home[0]).toMatch(new RegExp(`Borrower ${i}(?!\\d)`))
  }
})

test('a replaced bill, extras and what was prepaid are shown and add up', async () => {
  const paper = billDocument({
    ...billInput('FR', 'fr'),
    extras: [
      { kind: 'ADJUSTMENT', amount: -55n, concerns: 'B-2026-000001' },
      { kind: 'PARTNER_MARK_UP', amount: 1_234n },
    ],
    total: 3_596n,
    prepaid: 500n,
    payment: TRANSFER,
    amends: { number: 'B-2026-000040', issued_on: day('2026-08-01') },
  })
  const { text } = await readPdf(await drawPdf(paper))
  expect(text).toContain('annule et remplace la facture B-2026-000040 du 1er août 2026')
  expect(text).toContain('Régularisation (B-2026-000001) -0,55 €')
  expect(text).toContain('Frais du partenaire 12,34 €')
  expect(text).toContain('Total 35,96 € Déjà payé -5,00 € Montant à payer 30,96 €')
  expect(text).toContain('RF18539007547034')
})

test('a negative total is a credit note and asks for no payment', async () => {
  const extras = [{ kind: 'ADJUSTMENT' as const, amount: -5_000n }]
  const paper = billDocument({ ...billInput('DE', 'de'), extras, total: -2_583n })
  const { text, title } = await readPdf(await drawPdf(paper))
  expect(title).toContain('Gutschrift')
  expect(text).toContain('Gutgeschriebener Betrag 25,83 €')
  expect(text).not.toContain('Vorabankündigung')
})

test('a bill that was paid beforehand asks for nothing', async () => {
  const { text } = await readPdf(
    await drawPdf(billDocument({ ...billInput('ES', 'es'), prepaid: 2_417n })),
  )
  expect(text).toContain('No queda nada por pagar.')
  expect(text).not.toContain('Notificación previa')
})

test('a bill that does not add up is refused', () => {
  expect(() => billDocument({ ...billInput('FR', 'fr'), total: 2_418n })).toThrow(/does not add up/)
})

test('a payer outside the five countries gets the article of the directive', async () => {
  const payer = { ...party('FR'), country: 'IT' }
  const { text } = await readPdf(await drawPdf(billDocument({ ...billInput('FR', 'en'), payer })))
  expect(text).toContain('Art. 135(1)(b) of Directive 2006/112/EC')
})
