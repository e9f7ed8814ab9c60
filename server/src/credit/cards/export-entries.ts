/** Exports a card's entries: as CSV for machines, or as a PDF statement for people. */
import { findBorrower, partyOf } from '../../companies/borrowers/index.ts'
import { type OrchestratedHandler, Reply } from '../../context.ts'
import {
  cardStatementDocument,
  drawPdf,
  lenderOf,
  type PaperDocument,
} from '../../integrations/documents/index.ts'
import { viewRows } from '../../platform/db/page.ts'
import { readForPartner, type Tx } from '../../platform/db/transaction.ts'
import { csvLine } from '../../platform/kit/csv.ts'
import { parisDay } from '../../platform/kit/dates.ts'
import { toDecimal } from '../../platform/kit/money.ts'
import { type CardRow, findCard, listEntries } from './queries.ts'
import { type Range, readRange } from './range.ts'
import type { EntryRow } from './store.ts'

export const exportCardEntries: OrchestratedHandler<'exportCardEntries'> = {
  orchestrate: async (context, { params, query, caller }) => {
    const { name, paper, entries } = await readForPartner(context, caller.partner_id, async tx => {
      const card = await findCard(tx, caller, params.card_id)
      const range = readRange(query)
      const entries = (await listEntries(tx, card, range.from, range.until)).reverse()
      const name = ['card', card.last4, range.from_on, range.to_on].filter(Boolean).join('-')
      const paper = query.format === 'pdf' ? await statementOf(tx, card, range, entries) : null
      return { name, paper, entries }
    })
    // Rendered after the transaction, so that no database connection is held meanwhile.
    const content = paper ? await drawPdf(caller.partner_id, paper) : await csvOf(entries)
    return new Reply(content, {
      headers: {
        'content-type': paper ? 'application/pdf' : 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="${name}.${query.format}"`,
      },
    })
  },
}

const COLUMNS = [
  'id',
  'created',
  'cleared_at',
  'status',
  'transaction_type',
  'amount',
  'currency',
  'merchant_name',
  'merchant_category',
  'merchant_amount',
  'merchant_currency',
  'decline_reason',
  'funding_obligation_id',
] as const

async function csvOf(entries: readonly EntryRow[]): Promise<Buffer> {
  const lines = await viewRows(entries, e =>
    csvLine([
      e.id,
      e.created_at.toISOString(),
      e.cleared_at?.toISOString() ?? '',
      e.status,
      e.transaction_type,
      toDecimal(e.amount),
      e.currency,
      e.merchant_name,
      e.merchant_category,
      e.merchant_amount === null ? '' : toDecimal(e.merchant_amount),
      e.merchant_currency ?? '',
      e.decline_reason ?? '',
      e.loan_id ?? '',
    ]),
  )
  return Buffer.from([csvLine([...COLUMNS]), ...lines].join(''))
}

async function statementOf(
  tx: Tx,
  card: CardRow,
  range: Range,
  entries: readonly EntryRow[],
): Promise<PaperDocument> {
  const borrower = (await findBorrower(tx, card.partner_id, card.borrower_id))!
  const first = entries[0]?.created_at
  return cardStatementDocument({
    document_id: tx.newId(),
    issued_on: tx.today,
    language: borrower.preferred_language,
    lender: lenderOf(tx.settings.lender),
    borrower: partyOf(borrower),
    currency: card.currency,
    period: {
      from: range.from_on ?? parisDay(first ?? card.created_at),
      to: range.to_on ?? tx.today,
    },
    card: { holder: `${card.first_name} ${card.last_name}`, last4: card.last4! },
    lines: entries.map(e => ({
      on: parisDay(e.created_at),
      merchant: e.merchant_name,
      status: e.status,
      amount: e.amount,
      currency: e.currency,
    })),
  })
}
