/** The interest bill: every loan and amount, over several pages, in every language. */
import { LANGUAGES } from '@headroom/contract'
import { expect, test } from 'vitest'
import { formatRate } from '../../src/integrations/documents/format.ts'
import { billDocument, drawPdf } from '../../src/integrations/documents/index.ts'
import { TEXTS as BILL_TEXTS } from '../../src/integrations/documents/texts/bill/index.ts'
import { vatArticle } from '../../src/integrations/documents/texts/law.ts'
import { day, formatDay } from '../../src/platform/kit/dates.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { formatMoney } from '../../src/platform/kit/money.ts'
import { billInput, billItem, billLine, PAIRS, party, plain, readPdf, TRANSFER } from './samples.ts'

test.each(PAIRS)('$language in $country: loans, sums, due date, exemption', async pair => {
  const { country, language } = pair
  const read = await readPdf(await drawPdf(LENDER_ID, billDocument(billInput(country, language))))
  const money = (cents: bigint) => plain(formatMoney(cents, 'EUR', language))
  expect(read.title).toContain('B-2026-000042')
  expect(read.text).toContain(party(country).name)
  expect(read.text).toContain(formatDay(day('2026-08-05'), language))
  // Two lines of one loan, then the other loan and the total.
  const rate = plain(formatRate(500, language))
  const segments = [
    `RF18539007547034 ${formatDay(day('2026-07-01'), language)}`,
    `${formatDay(day('2026-07-10'), language)} 10 ${money(123_456n)} ${rate} ${money(617n)}`,
    `${formatDay(day('2026-07-31'), language)} 21 ${money(100_000n)} ${rate} ${money(1_050n)}`,
    `${formatDay(day('2026-07-30'), language)} 30 ${money(50_000n)} ${rate} ${money(750n)}`,
  ]
  for (const segment of segments) expect(read.text).toContain(segment)
  expect(read.text).toContain(money(2_417n))
  expect(read.text).toContain(plain(vatArticle(country, language)))
  expect(read.text).toContain('HR-2026-000123')
  expect(read.text).not.toMatch(/\b(undefined|null|NaN)\b/)
})

test('120 loans span several pages, each with its header and number', async () => {
  const lines = Array.from({ length: 120 }, (_, i) => billLine(i + 1, (i % 31) + 1))
  const total = lines.reduce((sum, line) => sum + line.items[0]!.amount, 0n)
  const paper = billDocument({ ...billInput('NL', 'en'), lines, total })
  const read = await readPdf(await drawPdf(LENDER_ID, paper))
  expect(read.pages.length).toBeGreaterThanOrEqual(4)
  read.pages.forEach((page, i) => {
    expect(page).toContain(`Page ${i + 1} of ${read.pages.length}`)
    expect(page).toContain('B-2026-000042')
    if (page.includes('LOAN-0'))
      expect(page).toContain('Loan From To Days Outstanding Daily rate Amount')
  })
  for (const [i, line] of lines.entries()) {
    const [item] = line.items
    const end = formatDay(item!.run!.to, 'en')
    const sums = `€500.00 0.05% ${formatMoney(item!.amount, 'EUR', 'en')}`
    const row = `${line.loan_reference} 1 July 2026 ${end} ${(i % 31) + 1} ${sums}`
    expect(read.pages.filter(page => page.includes(row))).toHaveLength(1)
  }
  expect(read.text).toContain(`Total interest ${formatMoney(total, 'EUR', 'en')}`)
})

test('rows of one loan stay on one page', async () => {
  const split = (i: number) => ({
    ...billLine(i, 5),
    borrower: `Borrower ${i}`,
    items: [0, 1, 2].map(() => billItem(day('2026-07-01'), 4, 50_000n)),
  })
  const lines = Array.from({ length: 40 }, (_, i) => split(i + 1))
  const paper = billDocument({ ...billInput('FR', 'en'), lines, total: 12_000n })
  const { pages } = await readPdf(await drawPdf(LENDER_ID, paper))
  expect(pages.length).toBeGreaterThan(2)
  for (let i = 1; i <= 40; i++) {
    const number = String(i).padStart(4, '0')
    const home = pages.filter(page => page.includes(`LOAN-${number}`))
    expect(home).toHaveLength(1)
    expect(home[0]).toMatch(new RegExp(`Borrower ${i}(?!\\d)`))
  }
})

const ADJUSTED = billItem(day('2026-06-11'), 20, -50_000n, {
  kind: 'ADJUSTMENT',
  reason: 'REPAYMENT_VALUED_EARLIER',
  corrects: 'B-2026-000001',
})
const ROUNDED = {
  kind: 'ROUNDING' as const,
  component: 'INTEREST' as const,
  amount: 1n,
  to_date: { exact_microcents: 2_777_760_000n, billed_before: 2_777n },
}

test('a replaced bill, mark-up, rounding and prepaid amounts are shown and add up', async () => {
  const marked = billItem(day('2026-07-01'), 30, 50_000n, {
    kind: 'PARTNER_MARK_UP',
    component: 'PARTNER_MARK_UP',
  })
  const paper = billDocument({
    ...billInput('FR', 'fr'),
    lines: [
      ...billInput('FR', 'fr').lines,
      { loan_reference: 'LOAN-0002', items: [marked, ADJUSTED, ROUNDED] },
    ],
    total: 2_417n + 750n - 500n + 1n,
    prepaid: 500n,
    payment: TRANSFER,
    amends: { number: 'B-2026-000040', issued_on: day('2026-08-01') },
  })
  const { text } = await readPdf(await drawPdf(LENDER_ID, paper))
  expect(text).toContain('annule et remplace la facture B-2026-000040 du 1er août 2026')
  expect(text).toContain(
    'Arrondi : intérêts à ce jour 27,7776 €, dont 27,77 € déjà facturés 0,01 €',
  )
  expect(text).toContain('Frais du partenaire 7,50 € Régularisations -5,00 € Arrondi 0,01 €')
  expect(text).toContain('Total 26,68 € Déjà payé -5,00 € Montant à payer 21,68 €')
  expect(text).toContain('RF18539007547034')
})

test.each(LANGUAGES)(
  'an adjustment shows reason, period and corrected bill in %s',
  async language => {
    const lapsed = { kind: 'LAPSED', component: 'INTEREST', amount: -100n } as const
    const lines = [{ loan_reference: 'LOAN-0002', items: [ADJUSTED, lapsed] }]
    const paper = billDocument({ ...billInput('DE', language), lines, total: -600n })
    const { text, title } = await readPdf(await drawPdf(LENDER_ID, paper))
    const t = BILL_TEXTS[language]
    const label = t.adjustment('B-2026-000001', t.reasons.REPAYMENT_VALUED_EARLIER)
    const money = (cents: bigint) => plain(formatMoney(cents, 'EUR', language))
    const days = ['2026-06-11', '2026-06-30'].map(iso => formatDay(day(iso), language)).join(' ')
    const rate = plain(formatRate(500, language))
    expect(text).toContain(`${plain(label)} ${days} 20 ${money(-50_000n)} ${rate} ${money(-500n)}`)
    expect(text).toContain(`${plain(t.lapsed)} ${money(-100n)}`)
    expect(title).toContain(t.title_credit)
    expect(text).toContain(`${t.credited} ${money(600n)}`)
    expect(text).not.toContain(t.payment)
  },
)

test('a prepaid bill asks for no payment', async () => {
  const { text } = await readPdf(
    await drawPdf(LENDER_ID, billDocument({ ...billInput('ES', 'es'), prepaid: 2_417n })),
  )
  expect(text).toContain('No queda nada por pagar.')
  expect(text).not.toContain('Notificación previa')
})

test('a bill that does not add up is rejected', () => {
  expect(() => billDocument({ ...billInput('FR', 'fr'), total: 2_418n })).toThrow(/does not add up/)
})

test('a bill whose lines do not match their figures is rejected', () => {
  const items = [billItem(day('2026-07-01'), 28, 600_000n, { amount: 18_600n })]
  const lines = [{ loan_reference: 'LOAN-0001', items }]
  const wrong = { ...billInput('FR', 'fr'), lines, total: 18_600n }
  expect(() => billDocument(wrong)).toThrow(/contradicts/)
})

test('a payer outside the five countries gets the article of the directive', async () => {
  const payer = { ...party('FR'), country: 'IT' }
  const { text } = await readPdf(
    await drawPdf(LENDER_ID, billDocument({ ...billInput('FR', 'en'), payer })),
  )
  expect(text).toContain('Art. 135(1)(b) of Directive 2006/112/EC')
})
