/** The monthly interest bill, listing each loan's days and amounts, or a credit note. */
import { assert } from '../../platform/kit/assert.ts'
import { formatDay } from '../../platform/kit/dates.ts'
import { accrue, formatExact, formatMoney, roundHalfEven } from '../../platform/kit/money.ts'
import type { Block, Column, PaperDocument } from './blocks.ts'
import { formatIban, formatRate, lenderLines, paper, partyLines, typeset } from './format.ts'
import { paymentFacts } from './payment-facts.ts'
import { TEXTS } from './texts/bill/index.ts'
import type { BillTexts } from './texts/bill/keys.ts'
import { COMMON } from './texts/common.ts'
import { vatSentence } from './texts/law.ts'
import type { AmendedBill, BillInput, BillItem, BillLine, Language } from './types.ts'

/**
 * The bill as a document. Throws an `ImpossibleError` if its lines do not add up to the total or a
 * line contradicts its own figures, because such a bill must never be issued.
 */
export function billDocument(input: BillInput): PaperDocument {
  const { language } = input
  const items = input.lines.flatMap(line => line.items)
  assert(totalOf(items) === input.total, `bill ${input.number} does not add up`)
  assert(items.every(computes), `bill ${input.number} contradicts its own lines`)
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
    ...(input.amends ? [paragraph(amendsText(input.amends, language), language)] : []),
    { kind: 'heading', text: t.detail },
    loanTable(input, t, items),
    ...summary(input, t, items),
    ...(isCredit && toPayOf(input) <= 0n ? [] : payment(input, t)),
    paragraph(vatSentence(input.payer.country, language), language),
    { ...paragraph(t.rate_note, language), small: true },
  ]
  return { ...paper(input, `${title} ${input.number}`), blocks }
}

function paragraph(text: string, language: Language) {
  return { kind: 'paragraph' as const, text: typeset(text, language) }
}

function moneyOf(input: BillInput) {
  return (cents: bigint) => formatMoney(cents, input.currency, input.language)
}

export function amendsText({ number, issued_on }: AmendedBill, language: Language): string {
  return TEXTS[language].amends(number, formatDay(issued_on, language))
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

function loanTable(input: BillInput, t: BillTexts, items: readonly BillItem[]): Block {
  const columns: Column[] = [
    { header: t.loan, width: 22 },
    { header: t.from, width: 17 },
    { header: t.to, width: 17 },
    { header: t.days, width: 7, align: 'right' },
    { header: t.outstanding, width: 16, align: 'right' },
    { header: t.rate, width: 9, align: 'right' },
    { header: t.amount, width: 14, align: 'right' },
  ]
  const groups = input.lines.map(line => loanRows(line, input, t))
  const label = items.every(item => item.kind === 'INTEREST') ? t.interest_total : t.total
  const total = [label, '', '', '', '', '', moneyOf(input)(input.total)]
  return { kind: 'table', columns, groups, total }
}

/**
 * The loan's reference and borrower beside its interest, one row per item, then the other items
 * under lines that describe them.
 */
function loanRows({ loan_reference, borrower, items }: BillLine, input: BillInput, t: BillTexts) {
  const names = [loan_reference, ...(borrower ? [borrower] : [])]
  const plain = items.filter(item => item.kind === 'INTEREST').map(item => figures(item, input))
  const count = Math.max(names.length, plain.length)
  const first = Array.from({ length: count }, (_, i) => [
    names[i] ?? '',
    ...(plain[i] ?? Array<string>(6).fill('')),
  ])
  const others = items.filter(item => item.kind !== 'INTEREST')
  const labels = others.map(item => labelOf(item, input, t))
  return [
    ...first,
    ...others.flatMap((item, i) => [
      ...(labels[i] === labels[i - 1] ? [] : [[labels[i]!]]),
      ['', ...figures(item, input)],
    ]),
  ]
}

function figures({ run, amount }: BillItem, input: BillInput): string[] {
  const money = moneyOf(input)
  if (!run) return ['', '', '', '', '', money(amount)]
  const { language } = input
  return [
    formatDay(run.from, language),
    formatDay(run.to, language),
    String(run.days),
    money(run.principal),
    formatRate(run.rate_ppm, language),
    money(amount),
  ]
}

function labelOf(item: BillItem, input: BillInput, t: BillTexts): string {
  const label = typeset(plainLabel(item, input, t), input.language)
  if (item.component === 'INTEREST' || item.kind === 'PARTNER_MARK_UP') return label
  return `${label} (${t.extras.PARTNER_MARK_UP})`
}

function plainLabel(item: BillItem, input: BillInput, t: BillTexts): string {
  const { kind, reason = 'NOT_RECORDED', corrects = null, to_date } = item
  if (kind === 'ADJUSTMENT') return t.adjustment(corrects, t.reasons[reason])
  if (kind === 'LAPSED') return t.lapsed
  if (kind !== 'ROUNDING' || !to_date) return t.extras[kind === 'INTEREST' ? 'ROUNDING' : kind]
  const exact = formatExact(to_date.exact_microcents, input.currency, input.language)
  return t.rounding(exact, moneyOf(input)(to_date.billed_before))
}

function totalOf(items: readonly BillItem[]): bigint {
  return items.reduce((sum, item) => sum + item.amount, 0n)
}

function computes({ run, amount }: BillItem): boolean {
  if (!run) return true
  return amount === roundHalfEven(accrue(run.principal, run.rate_ppm, run.days))
}

const EXTRAS = ['PARTNER_MARK_UP', 'ADJUSTMENT', 'LAPSED', 'ROUNDING'] as const

function summary(input: BillInput, t: BillTexts, items: readonly BillItem[]): Block[] {
  const { prepaid, credit, language } = input
  const of = (kind: BillItem['kind']) => items.filter(item => item.kind === kind)
  const extras = EXTRAS.filter(kind => of(kind).length > 0)
  if (extras.length === 0 && prepaid === 0n && !credit) return []
  const money = moneyOf(input)
  const rows: [string, string][] = [[t.interest_total, money(totalOf(of('INTEREST')))]]
  for (const kind of extras) rows.push([t.extras[kind], money(totalOf(of(kind)))])
  rows.push([t.total, money(input.total)])
  const uses = (['unpaid', 'set_off', 'kept'] as const).map(use => [t[use], credit?.[use] ?? 0n])
  const refunds = (credit?.refunds ?? []).map(({ on, iban, amount }) => [
    t.paid_back(formatDay(on, language), formatIban(iban)),
    amount,
  ])
  const credited = ([...uses, ...refunds] as [string, bigint][]).filter(([, cents]) => cents > 0n)
  // Amounts that settle other bills or are refunded do not reduce this one.
  const paid = credited.reduce((sum, [, cents]) => sum + cents, prepaid)
  if (paid !== 0n) rows.push([t.prepaid, money(-paid)])
  for (const [label, cents] of credited) rows.push([label, money(cents)])
  if (prepaid !== 0n) rows.push([t.to_pay, money(toPayOf(input))])
  return [
    { kind: 'heading', text: t.summary },
    { kind: 'facts', rows, amounts: true },
  ]
}

/**
 * In cents. Can be positive for a credit note too, if it settles earlier bills with more credit
 * than its total.
 */
function toPayOf({ total, prepaid }: BillInput): bigint {
  return total - prepaid
}

function payment(input: BillInput, t: BillTexts): Block[] {
  const { language } = input
  const toPay = toPayOf(input)
  if (toPay <= 0n) return [paragraph(t.nothing_to_pay, language)]
  const amount = moneyOf(input)(toPay)
  const route = input.payment
  if (route.method === 'PLAN') {
    return [{ kind: 'heading', text: t.payment }, paragraph(t.plan_note, language)]
  }
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
