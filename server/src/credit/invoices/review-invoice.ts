/** Records an operator's review of a submitted invoice. */
import type { DenialCode } from '@headroom/contract'
import { sql } from 'kysely'
import { AWAITED } from '../../companies/counterparties/index.ts'
import { lockExposure } from '../../companies/credit-lines/index.ts'
import { publishFact } from '../../facts.ts'
import { move } from '../../platform/db/move.ts'
import { keysOf, ofEachPartner } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type InvalidParam, problem } from '../../platform/kit/problem.ts'
import { type InvoiceRow, lockInvoice, updateFindings } from './store.ts'

export type InvoiceFinding =
  | { readonly trigger: 'verify' }
  | { readonly trigger: 'decline'; readonly reason: DenialCode }
  /** The partner must correct these fields. */
  | { readonly trigger: 'ask_edit'; readonly to_edit: readonly InvalidParam[] }

/**
 * Verifies a SUBMITTED invoice, declines it or sends it back for editing. Loans that wait for the
 * invoice are decided in the same commit; if it is sent back, they wait until it is submitted
 * again. Throws `resource_unknown`, or `state_conflict` if the invoice is not under review, or is
 * to be verified before the registry has answered about its parties.
 */
export async function reviewInvoice(
  tx: Tx,
  invoice_id: string,
  finding: InvoiceFinding,
): Promise<void> {
  const { partner_id, borrower_ids } = await findReviewed(tx, invoice_id)
  // Locks from the partner down, so that no concurrent loan request is missed.
  await lockExposure(tx, [partner_id], keysOf(partner_id, borrower_ids))
  const invoice = (await lockInvoice(tx, partner_id, invoice_id))!
  if (finding.trigger === 'verify') await refuseAwaited(tx, invoice)
  const reason = finding.trigger === 'decline' ? finding.reason : null
  await move(tx, 'invoice', [invoice], finding.trigger, reason)
  const to_edit = finding.trigger === 'ask_edit' ? finding.to_edit : []
  await updateFindings(tx, invoice, { reason, to_edit, is_draft: false })
  if (finding.trigger === 'ask_edit') return
  await publishFact(tx, 'invoice_reviewed', { invoice_id, partner_id })
}

async function refuseAwaited(
  tx: Tx,
  { partner_id, seller_id, buyer_id }: InvoiceRow,
): Promise<void> {
  const awaited = await tx.maybe(sql<{ name: string }>`
    select name from counterparties where partner_id = ${partner_id}
      and id = any(${[seller_id, buyer_id].filter(id => id !== null)}::uuid[])
      and max_amount_details = ${AWAITED} limit 1`)
  if (!awaited) return
  throw problem('state_conflict', `The registry has not answered about ${awaited.name} yet.`)
}

interface Reviewed {
  partner_id: string
  borrower_ids: string[]
}

async function findReviewed(tx: Tx, invoice_id: string): Promise<Reviewed> {
  const found = await tx.maybe(sql<Reviewed>`
    select i.partner_id, array(select distinct l.borrower_id from invoice_loans f
      join loans l on l.partner_id = f.partner_id and l.id = f.loan_id
      where f.partner_id = i.partner_id and f.invoice_id = i.id) as borrower_ids
    from invoices i where ${ofEachPartner('i')} and i.id = ${invoice_id}`)
  if (!found) throw problem('resource_unknown', `There is no invoice ${invoice_id}.`)
  return found
}
