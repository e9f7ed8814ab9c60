/** Stores the details of a loan request: shares of invoices, installments, documents. */
import { storeDocuments } from '../../../integrations/documents/index.ts'
import { keysBy, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { recordLimitEvents } from '../repayments/follow-invoices.ts'
import { invoicesOf, readInvoices } from './invoice-facts.ts'
import { allocateToInvoices, type Share } from './invoice-rules.ts'
import type { LoanFile } from './read-files.ts'
import type { LoanRequest } from './read-request.ts'
import { insertInstallments, insertPapers, insertShares, setShares } from './request-store.ts'

export interface InsertedLoan {
  readonly row: { readonly id: string; readonly partner_id: string; readonly borrower_id: string }
  readonly pending: {
    readonly request: LoanRequest | null
    readonly invoice_ids: readonly string[]
  }
  /** Empty if the loan was declined or finances no invoices. */
  readonly shares: readonly Share[]
}

/** Stores the related data of new loans and raises events about counterparties' limits. */
export async function saveRequestDetails(tx: Tx, loans: readonly InsertedLoan[]): Promise<void> {
  const financed = loans.flatMap(financedBy)
  if (financed.length > 0) {
    await insertShares(tx, financed)
    await recordLimitEvents(tx, keysBy(financed, 'loan_id'))
  }
  await insertInstallments(tx, loans.flatMap(installmentsOf))
  const papers = loans.flatMap(n => n.pending.request!.files.map(file => paperOf(tx, n.row, file)))
  await storeDocuments(
    tx,
    papers.map(paper => paper.document),
  )
  await insertPapers(
    tx,
    papers.map(paper => paper.row),
  )
}

/** Reallocates a locked loan to its invoices after its amount has changed. */
export async function reallocateInvoices(
  tx: Tx,
  loan: RowKey & { readonly amount: bigint },
): Promise<void> {
  const keys = await invoicesOf(tx, loan)
  const invoices = await readInvoices(tx, keys, loan.id)
  const ids = keys.map(key => key.id)
  const shares = allocateToInvoices(
    loan.amount,
    ids.map(id => invoices.get(id)!),
  )
  const amounts = ids.map(id => shares.find(share => share.invoice.id === id)?.amount ?? 0n)
  await setShares(tx, loan, ids, amounts)
  await recordLimitEvents(tx, [loan])
}

function financedBy({ row, pending, shares }: InsertedLoan) {
  return pending.invoice_ids.map((invoice_id, index) => ({
    invoice_id,
    loan_id: row.id,
    partner_id: row.partner_id,
    amount: shares.find(share => share.invoice.id === invoice_id)?.amount ?? 0n,
    position: index + 1,
  }))
}

function installmentsOf({ row, pending }: InsertedLoan) {
  let amount_until = 0n
  return pending.request!.installments.map(({ due_on, amount }, index) => {
    amount_until += amount
    const { id: loan_id, partner_id } = row
    return { loan_id, partner_id, position: index + 1, due_on, amount, amount_until }
  })
}

function paperOf(tx: Tx, loan: InsertedLoan['row'], file: LoanFile) {
  const { id: loan_id, partner_id, borrower_id } = loan
  const document_id = tx.newId()
  const document = {
    id: document_id,
    kind: 'LOAN_DOCUMENT' as const,
    partner_id,
    borrower_id,
    loan_id,
    language: 'en' as const,
    title: file.document_name ?? file.document_type,
    ...(file.file ?? inWords(file)),
  }
  const row = {
    id: tx.newId(),
    partner_id,
    loan_id,
    document_type: file.document_type,
    document_name: file.document_name,
    about_business: file.about_business as never,
    user_input: file.user_input as never,
    document_id,
    uploaded_at: tx.now,
  }
  return { document, row }
}

/** The content of a document submitted without a file: its `user_input` as JSON. */
function inWords({ user_input }: LoanFile) {
  const content = Buffer.from(JSON.stringify(user_input, null, 2))
  return { media_type: 'application/json', content }
}
