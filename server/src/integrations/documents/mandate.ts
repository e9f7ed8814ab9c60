/** The SEPA direct debit mandate, Core or business-to-business. */
import { formatDay } from '../../platform/kit/dates.ts'
import type { Block, PaperDocument } from './blocks.ts'
import { formatIban, lenderLines, paper, partyLines, typeset } from './format.ts'
import { COMMON } from './texts/common.ts'
import { TEXTS } from './texts/mandate/index.ts'
import type { MandateTexts } from './texts/mandate/keys.ts'
import type { Language, Lender, MandateInput, MandateScheme } from './types.ts'

/**
 * The mandate as a document: prescribed wording, unique mandate reference, creditor identifier,
 * names and addresses, account, payment type and signature date (EPC SDD rulebooks, DS-01).
 */
export function mandateDocument(input: MandateInput): PaperDocument {
  const { language, scheme, lender } = input
  const t = TEXTS[language]
  const common = COMMON[language]
  const signedOn = formatDay(input.signed_on, language)
  const blocks: Block[] = [
    { kind: 'title', text: t.title[scheme], subtitle: input.mandate_reference },
    {
      kind: 'highlight',
      rows: [
        [common.mandate_reference, input.mandate_reference],
        [common.creditor_identifier, lender.creditor_identifier],
      ],
    },
    {
      kind: 'parties',
      columns: [
        { heading: t.creditor, lines: lenderLines(input) },
        { heading: t.debtor, lines: partyLines(input.debtor, language) },
      ],
    },
    { kind: 'paragraph', text: typeset(t.authorisation[scheme](lender.name), language) },
    { kind: 'paragraph', text: typeset(t.note[scheme], language), small: true },
    { kind: 'heading', text: t.account },
    {
      kind: 'facts',
      rows: [
        [common.iban, formatIban(input.iban)],
        [common.bic, input.bic],
        [t.payment_type, t.recurrent],
        [t.signed_on, signedOn],
        ...(input.signatory ? ([[t.signatory, input.signatory]] as [string, string][]) : []),
      ],
    },
    { kind: 'signatures', boxes: [{ caption: t.signature, lines: signatureLines(input, t) }] },
  ]
  return { ...paper(input, `${t.title[scheme]} ${input.mandate_reference}`), blocks }
}

/** The text of a mandate for a lender, to read before signing; without the debtor's data. */
export function mandateWords(lender: Lender, scheme: MandateScheme, language: Language) {
  const t = TEXTS[language]
  return {
    title: t.title[scheme],
    authorisation: typeset(t.authorisation[scheme](lender.name), language),
    note: typeset(t.note[scheme], language),
    creditor_identifier: lender.creditor_identifier,
  }
}

function signatureLines(input: MandateInput, t: MandateTexts): string[] {
  const day = formatDay(input.signed_on, input.language)
  return [
    input.debtor.name,
    ...(input.signatory ? [input.signatory] : []),
    `${t.electronic}, ${day}`,
  ]
}
