/** The loan agreement, also as amended by an installment plan agreed later. */
import { formatDay } from '../../platform/kit/dates.ts'
import { formatMoney } from '../../platform/kit/money.ts'
import type { Block, PaperDocument } from './blocks.ts'
import {
  formatAnnualRate,
  formatIban,
  formatRate,
  lenderLines,
  paper,
  partyLines,
  typeset,
} from './format.ts'
import { paymentFacts } from './payment-facts.ts'
import { COMMON } from './texts/common.ts'
import { TEXTS } from './texts/contract/index.ts'
import type { ContractTexts } from './texts/contract/keys.ts'
import { lawOf } from './texts/law.ts'
import type { ContractInput, ContractPlan } from './types.ts'

/**
 * The agreement as a document. For a loan repaid by direct debit it is also the pre-notification,
 * with creditor identifier, mandate reference, amount and date (EPC SDD rulebooks,
 * pre-notification).
 */
export function contractDocument(input: ContractInput): PaperDocument {
  const { language, loan } = input
  const t = TEXTS[language]
  const common = COMMON[language]
  const title = input.plan?.amends ? t.title_amended : t.title
  const blocks: Block[] = [
    { kind: 'title', text: title, subtitle: subtitleOf(input) },
    {
      kind: 'parties',
      columns: [
        { heading: common.lender, lines: lenderLines(input) },
        { heading: common.borrower, lines: partyLines(input.borrower, language) },
      ],
    },
    paragraph(t.intro(input.terms.version, formatDay(input.terms.accepted_on, language)), input),
    {
      kind: 'highlight',
      rows: [
        [t.principal, formatMoney(loan.amount, loan.currency, language)],
        [t.payout_on, formatDay(loan.to_pay_at, language)],
        [t.repay_on, formatDay(loan.to_repay_at, language)],
      ],
    },
    ...loanBlocks(input, t),
    ...costBlocks(input, t),
    ...(input.plan ? planBlocks(input, input.plan, t) : repaymentBlocks(input, t)),
    ...earlyBlocks(input, t),
    paragraph(t.closing(lawOf(input.country, language).law), input),
    ...lenderSignatures(input, common.lender),
  ]
  return { ...paper(input, `${title} ${loan.reference}`), blocks }
}

/** The lender's signatories, if it names any. The borrower has accepted the terms online. */
function lenderSignatures({ lender }: ContractInput, caption: string): Block[] {
  if (lender.signatories.length === 0) return []
  return [{ kind: 'signatures', boxes: [{ caption, lines: lender.signatories }] }]
}

function paragraph(text: string, { language }: ContractInput): Block {
  return { kind: 'paragraph', text: typeset(text, language) }
}

function subtitleOf(input: ContractInput): string {
  return `${input.loan.reference} · ${formatDay(input.issued_on, input.language)}`
}

function loanBlocks({ loan }: ContractInput, t: ContractTexts): Block[] {
  const rows: [string, string][] = [
    [t.loan_reference, loan.reference],
    [t.loan_type, t.loan_types[loan.loan_type]],
  ]
  if (loan.invoice_number) rows.push([t.invoice, loan.invoice_number])
  rows.push([t.payout_account, `${loan.payout_holder}, ${formatIban(loan.payout_iban)}`])
  return [
    { kind: 'heading', text: t.loan },
    { kind: 'facts', rows },
  ]
}

function costBlocks(input: ContractInput, t: ContractTexts): Block[] {
  const { language, loan } = input
  const money = (cents: bigint) => formatMoney(cents, loan.currency, language)
  const rate = formatRate(loan.rate_ppm, language)
  const note = t.cost_note(rate)
  return [
    { kind: 'heading', text: t.cost },
    {
      kind: 'facts',
      rows: [
        [t.daily_rate, rate],
        [t.annual_rate, formatAnnualRate(loan.rate_ppm, language)],
        [t.days, String(loan.days)],
        [t.interest, money(loan.interest_estimated)],
        [t.total, money(loan.amount + loan.interest_estimated)],
      ],
    },
    paragraph(input.plan?.recollection_fees ? note : `${note} ${t.no_other_fees}`, input),
  ]
}

function repaymentBlocks(input: ContractInput, t: ContractTexts): Block[] {
  const { language, loan, repayment } = input
  const amount = formatMoney(loan.amount, loan.currency, language)
  const notes = {
    DIRECT_DEBIT: (day: string) => t.prenotification(amount, day),
    SCT: () => t.transfer_note,
    P2P: () => t.wallet_note,
  }
  const day = repayment.method === 'SCT' ? loan.to_repay_at : repayment.debit_on
  return [
    { kind: 'heading', text: t.repayment },
    { kind: 'facts', rows: paymentFacts(repayment, amount, input.lender, language) },
    paragraph(notes[repayment.method](formatDay(day, language)), input),
  ]
}

/** Installments replace the loan's own debit, which is therefore not announced. */
function planBlocks(input: ContractInput, plan: ContractPlan, t: ContractTexts): Block[] {
  const { language, loan, repayment } = input
  const money = (cents: bigint) => formatMoney(cents, loan.currency, language)
  const sum = plan.installments.reduce((total, one) => total + one.amount, 0n)
  const blocks: Block[] = [
    { kind: 'heading', text: t.plan },
    ...(plan.amends ? [amendsBlock(input, plan.amends, t)] : []),
    paragraph(t.plan_note, input),
    {
      kind: 'table',
      columns: [
        { header: '#', width: 1 },
        { header: t.due_on, width: 5 },
        { header: COMMON[language].amount, width: 4, align: 'right' },
      ],
      groups: plan.installments.map((one, i) => [
        [String(i + 1), formatDay(one.due_on, language), money(one.amount)],
      ]),
      total: ['', t.sum, money(sum)],
    },
    {
      kind: 'facts',
      rows: [
        ...(plan.recollection_fees === undefined
          ? []
          : [[t.recollection_fees, money(plan.recollection_fees)] as [string, string]]),
        ...paymentFacts(repayment, null, input.lender, language),
      ],
    },
  ]
  if (repayment.method === 'DIRECT_DEBIT') blocks.push(paragraph(t.plan_prenotification, input))
  return blocks
}

function amendsBlock(
  input: ContractInput,
  { document_id, issued_on }: NonNullable<ContractPlan['amends']>,
  t: ContractTexts,
): Block {
  return paragraph(t.amends(document_id, formatDay(issued_on, input.language)), input)
}

function earlyBlocks(input: ContractInput, t: ContractTexts): Block[] {
  const early = input.early_repayment
  const text = early ? t.early(formatIban(early.iban), early.reference) : t.early_free
  return [paragraph(text, input)]
}
