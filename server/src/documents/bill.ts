/** The monthly interest bill with every loan, its days and amounts; or a credit note. */
import { assert } from '../kit/assert.ts'
import { formatDay } from '../kit/dates.ts'
import { formatMoney } from '../kit/money.ts'
import type { Block, Column, PaperDocument } from './blocks.ts'
import { formatIban, formatRate, lenderLines, paper, partyLines, typeset } from './format.ts'
import { paymentFacts } from './payment-facts.ts'
import { TEXTS } from './texts/bill/index.ts'
import type { BillTexts } from './texts/bill/keys.ts'
import { COMMON } from './texts/common.ts'
import { vatSentence } from './texts/law.ts'
import type { BillInput, BillLine, Language } from './types.ts'

/**
 * The bill as a document. Throws an ImpossibleError when lines and extras do not add up to the
 * total: a bill that does not add up must never leave the house.
 */
export function billDocument(input: BillInput): PaperDocument {
  const { language } = input
  const interest = input.lines.reduce((sum, line) => sum + line.interest, 0n)
  const extras = input.extras.reduce((sum, extra) => sum + extra.amount, 0n)
  assert(interest + extras === input.total, `bill ${input.number} does not add up`)
  const t = TEXTS[language]
  const isCredit = input.total < 0n
  const title = isCredit ? t.title_credit : t.title
  const { from, to } = input.period
  const period = t.from_to(formatDay(from, language), formatDay(to, language))
  const blocks: Block[] = [
    { kind: 'title', text: `${title} ${input.number}`, subtitle: period },
    {
      kind: 'parties',
      columns: [
        { heading: COMMON[language].lender, lines: lenderLines(input) },
        { heading: t.payer, lines: partyLines(input.payer, language) },
      ],
    },
    { kind: 'highlight', rows: headlines(input, t) },
    ...(input.amends ? [paragraph(amendsText(input.amends, input, t), language)] : []),
    { kind: 'heading', text: t.detail },
    loanTable(input, t, interest),
    ...summary(input, t, interest),
    ...(isCredit ? [paragraph(t.credit_note, language)] : []),
    ...(isCredit && toPayOf(input) <= 0n ? [] : payment(input, t)),
    paragraph(vatSentence(input.payer.country, language), language),
    { ...paragraph(t.rate_note(formatRate(input.rate_ppm, language)), language), small: true },
  ]
  return { ...paper(input, `${title} ${input.number}`), blocks }
}

function paragraph(text: string, language: Language) {
  return { kind: 'paragraph' as const, text: typeset(text, language) }
}

function moneyOf(input: BillInput) {
  return (cents: bigint) => formatMoney(cents, input.currency, input.language)
}

function amendsText(amends: NonNullable<BillInput['amends']>, input: BillInput, t: BillTexts) {
  return t.amends(amends.number, formatDay(amends.issued_on, input.language))
}

function headlines(input: BillInput, t: BillTexts): [string, string][] {
  const money = moneyOf(input)
  const issued: [string, string] = [t.issued_on, formatDay(input.issued_on, input.language)]
  if (input.total < 0n) return [issued, [t.credited, money(-input.total)]]
  return [
    issued,
    [t.due_on, formatDay(input.due_on, input.language)],
    [t.to_pay, money(toPayOf(input))],
  ]
}

function loanTable(input: BillInput, t: BillTexts, interest: bigint): Block {
  const columns: Column[] = [
    { header: t.loan, width: 27 },
    { header: t.from, width: 18 },
    { header: t.to, width: 18 },
    { header: t.days, width: 7, align: 'right' },
    { header: t.outstanding, width: 16, align: 'right' },
    { header: t.interest, width: 14, align: 'right' },
  ]
  const groups = input.lines.map(line => loanRows(line, input))
  const total = [t.interest_total, '', '', '', '', moneyOf(input)(interest)]
  return { kind: 'table', columns, groups, total }
}

/** A row for each segment; the loan's interest stands once, in the last one. */
function loanRows(line: BillLine, input: BillInput): string[][] {
  const money = moneyOf(input)
  const names = [line.loan_reference, ...(line.borrower ? [line.borrower] : [])]
  const count = Math.max(names.length, line.segments.length, 1)
  const last = Math.max(line.segments.length - 1, 0)
  return Array.from({ length: count }, (_, i) => {
    const segment = line.segments[i]
    const days = segment
      ? [
          formatDay(segment.from, input.language),
          formatDay(segment.to, input.language),
          String(segment.days),
          money(segment.outstanding),
        ]
      : ['', '', '', '']
    return [names[i] ?? '', ...days, i === last ? money(line.interest) : '']
  })
}

function summary(input: BillInput, t: BillTexts, interest: bigint): Block[] {
  const { extras, prepaid, refund, language } = input
  if (extras.length === 0 && prepaid === 0n && !refund) return []
  const money = moneyOf(input)
  const rows: [string, string][] = [[t.interest_total, money(interest)]]
  for (const extra of extras) {
    const label = t.extras[extra.kind]
    rows.push([extra.concerns ? `${label} (${extra.concerns})` : label, money(extra.amount)])
  }
  rows.push([t.total, money(input.total)])
  // What of it settles other bills, or goes back, is not there to lessen this one.
  const back = refund?.amount ?? 0n
  const kept = prepaid + back
  if (kept !== 0n) rows.push([kept > 0n ? t.prepaid : t.set_off, money(-kept)])
  if (refund) {
    const day = formatDay(refund.on, language)
    rows.push([t.paid_back(day, formatIban(refund.iban)), money(back)])
  }
  if (prepaid !== 0n) rows.push([t.to_pay, money(toPayOf(input))])
  return [
    { kind: 'heading', text: t.summary },
    { kind: 'facts', rows, amounts: true },
  ]
}

/** Cents; what a credit note settles elsewhere is more than itself where it has lines to pay. */
function toPayOf({ total, prepaid }: BillInput): bigint {
  return total - prepaid
}

function payment(input: BillInput, t: BillTexts): Block[] {
  const { language } = input
  const toPay = toPayOf(input)
  if (toPay <= 0n) return [paragraph(t.nothing_to_pay, language)]
  const amount = moneyOf(input)(toPay)
  const route = input.payment
  const day = formatDay(route.method === 'SCT' ? input.due_on : route.debit_on, language)
  const notes = {
    DIRECT_DEBIT: t.prenotification(amount, day),
    SCT: t.transfer_note(day),
    P2P: t.wallet_note(day),
  }
  return [
    { kind: 'heading', text: t.payment },
    { kind: 'facts', rows: paymentFacts(route, amount, input.lender, language) },
    paragraph(notes[route.method], language),
  ]
}
