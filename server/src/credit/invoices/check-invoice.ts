/** Checks an invoice: gathers the facts for the rules and applies their decision. */
import { sql } from 'kysely'
import type { CounterpartyRow } from '../../companies/counterparties/index.ts'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { lockInvoiceNumber } from './find-duplicate.ts'
import { decideInvoice, faultsOf, type InvoiceDecision, type InvoiceFacts } from './rules.ts'
import { type InvoiceRow, updateFindings } from './store.ts'

type Checked = Pick<
  InvoiceRow,
  | 'id'
  | 'partner_id'
  | 'seller_id'
  | 'buyer_id'
  | 'invoice_number'
  | 'currency'
  | 'issued_on'
  | 'due_on'
  | 'net_amount'
  | 'tax_amount'
  | 'total_amount'
  | 'to_pay_amount'
  | 'document_is_invoice'
  | 'document_total'
  | 'document_currency'
>

/**
 * The rules' decision on an invoice. Concurrent checks of the same seller and number are
 * serialized.
 */
export async function checkInvoice(tx: Tx, invoice: Checked): Promise<InvoiceDecision> {
  const { seller, facts } = await readCheckInputs(tx, invoice)
  const is_double = seller ? await isDouble(tx, invoice, seller) : false
  return decideInvoice({ ...facts, is_double, review: await reviewOf(tx, invoice.partner_id) })
}

async function reviewOf(tx: Tx, partner_id: string): Promise<string> {
  const { review } = await tx.one(sql<{ review: string }>`
    select invoice_review as review from partners where id = ${partner_id}`)
  return review
}

/** The fields of an invoice that are missing or contradict each other. */
export async function missingFields(tx: Tx, invoice: Checked) {
  const { facts } = await readCheckInputs(tx, invoice)
  return faultsOf(facts)
}

/** Submits an invoice, moves it according to the check, and returns its new status. */
export async function submitAndCheck(
  tx: Tx,
  invoice: InvoiceRow,
  by: 'submit' | 'edit',
): Promise<string> {
  const [status] = await move(tx, 'invoice', [invoice], by)
  const decision = await checkInvoice(tx, invoice)
  const found = findingsOf(decision)
  await updateFindings(tx, invoice, { ...found, is_draft: false })
  if (decision.trigger === null) return status!
  const submitted = { ...invoice, status: status! }
  const [checked] = await move(tx, 'invoice', [submitted], decision.trigger, found.reason)
  return checked!
}

export function findingsOf(decision: InvoiceDecision) {
  return {
    reason: 'reason' in decision ? decision.reason : null,
    to_edit: decision.trigger === 'ask_edit' ? decision.to_edit : [],
  }
}

async function readCheckInputs(tx: Tx, invoice: Checked) {
  const ids = [invoice.seller_id, invoice.buyer_id].filter(id => id !== null)
  const parties = await tx.all(sql<CounterpartyRow>`
    select * from counterparties
    where partner_id = ${invoice.partner_id} and id = any(${ids}::uuid[])`)
  const seller = parties.find(party => party.id === invoice.seller_id) ?? null
  const buyer = parties.find(party => party.id === invoice.buyer_id) ?? null
  const facts: Omit<InvoiceFacts, 'is_double' | 'review'> = {
    ...invoice,
    seller,
    buyer,
    today: tx.today,
  }
  return { seller, facts }
}

async function isDouble(tx: Tx, invoice: Checked, seller: CounterpartyRow): Promise<boolean> {
  const { invoice_number: number, partner_id, id } = invoice
  if (number === null) return false
  await lockInvoiceNumber(tx, seller.company_key, number)
  const { taken } = await tx.one(sql<{ taken: boolean }>`
    select exists (select from invoices where partner_id = ${partner_id}
        and seller_id = ${seller.id} and upper(invoice_number) = upper(${number})
        and id <> ${id} and status in ('SUBMITTED', 'VERIFIED', 'PAID'))
      or invoice_financed_elsewhere(${partner_id}, ${seller.company_key}, ${number}) as taken`)
  return taken
}
