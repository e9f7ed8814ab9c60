/** Renders bills as PDFs, for borrowers or partners, and mails them. */
import { isDeepStrictEqual } from 'node:util'
import {
  type BillInput,
  billDocument,
  billSentMail,
  creditNoteMail,
  drawPdf,
  storeDocuments,
} from '../../../integrations/documents/index.ts'
import { queueMails } from '../../../integrations/mails/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type Payer, payersOf } from '../parties.ts'
import type { BillRow } from '../store.ts'
import { inputsOf } from './draft-bills.ts'

/** A bill whose PDF is stored. */
export interface BillDraft {
  readonly bill: BillRow
  readonly input: BillInput
  readonly payer: Payer
}

/** A bill's PDF, rendered outside any transaction. */
export interface BillDocument {
  readonly input: BillInput
  readonly title: string
  readonly content: Buffer
}

/** Thrown if bills no longer match their PDFs; carries the new `inputs`, by bill id. */
export class OutdatedDocumentError extends Error {
  readonly inputs: ReadonlyMap<string, BillInput>

  constructor(inputs: ReadonlyMap<string, BillInput>) {
    const numbers = [...inputs.values()].map(input => input.number)
    super(`bills ${numbers.join(', ')} have changed since they were drawn`)
    this.inputs = inputs
  }
}

/**
 * Renders a bill's PDF; partners take turns. Asserts that no transaction is open, because rendering
 * is slow.
 */
export async function drawBill(partner_id: string, input: BillInput): Promise<BillDocument> {
  const paper = billDocument(input)
  return { input, title: paper.title, content: await drawPdf(partner_id, paper) }
}

/**
 * Stores the PDFs of locked bills. Throws `OutdatedDocumentError` if a bill no longer matches its
 * PDF.
 */
export async function writeBills(
  tx: Tx,
  bills: readonly BillRow[],
  papers: ReadonlyMap<string, BillDocument>,
): Promise<BillDraft[]> {
  const payers = await payersOf(tx, bills)
  const drawn = new Map([...papers].map(([id, paper]) => [id, paper.input]))
  const inputs = await inputsOf(tx, bills, payers, drawn)
  const outdated = [...inputs].filter(([id, input]) => !isDeepStrictEqual(input, drawn.get(id)))
  if (outdated.length > 0) throw new OutdatedDocumentError(new Map(outdated))
  const written = bills.map(bill => ({
    bill,
    input: inputs.get(bill.id)!,
    payer: payers.get(bill.payer_id)!,
  }))
  await storeDocuments(
    tx,
    written.map(({ bill, input, payer }) => ({
      id: input.document_id,
      kind: 'BILL',
      partner_id: bill.partner_id,
      ...(bill.borrower_id && { borrower_id: bill.borrower_id }),
      bill_id: bill.id,
      country: payer.country,
      language: input.language,
      title: papers.get(bill.id)!.title,
      content: papers.get(bill.id)!.content,
    })),
  )
  return written
}

export async function mailBills(tx: Tx, written: readonly BillDraft[]): Promise<void> {
  await queueMails(
    tx,
    written.map(one => ({
      partner_id: one.bill.partner_id,
      bill_id: one.bill.id,
      borrower_id: one.bill.borrower_id,
      recipients: one.payer.emails,
      draft: { ...mailOf(one), document_ids: [one.input.document_id] },
    })),
  )
}

function mailOf({ bill, input, payer }: BillDraft) {
  const { language, lender, number, period, currency, due_on, payment, credit, amends } = input
  const recipient = payer.party.name
  const head = { language, lender, number, period, currency, recipient, ...(amends && { amends }) }
  const to_pay = bill.amount - bill.amount_prepaid
  return credit && bill.amount < 0n && to_pay <= 0n
    ? creditNoteMail({ ...head, credit })
    : billSentMail({ ...head, due_on, payment, to_pay })
}
