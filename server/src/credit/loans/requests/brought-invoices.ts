/** Invoices that come with the loan request which is to finance them. */
import type { Context } from '../../../context.ts'
import type { Actor } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type InvalidParam, ProblemError } from '../../../platform/kit/problem.ts'
import { createInvoice, findKnown, type NewInvoice, prepareInvoice } from '../../invoices/index.ts'
import { financesInvoices } from '../../invoices/rules.ts'
import { readInvoices } from './invoice-facts.ts'
import type { FinancedInvoice } from './invoice-rules.ts'
import type { LoanBody } from './read-request.ts'

interface BroughtInvoice {
  readonly wish: NewInvoice
  /** It says itself where it is to be paid. */
  readonly names_account: boolean
}

/** Invoices that were read and looked up before any transaction, and what is wrong with them. */
export interface Brought {
  readonly invoices: readonly BroughtInvoice[]
  readonly faults: readonly InvalidParam[]
}

type Bringing = Partial<Pick<LoanBody, 'loan_type' | 'invoices' | 'to_account'>>

/**
 * Reads what a request brings: its documents, and its parties at the register. An invoice that
 * does not say where it is to be paid takes the loan's `to_account`.
 */
export async function learnInvoices(
  context: Context,
  partner_id: string,
  body: Bringing,
): Promise<Brought> {
  const invoices: BroughtInvoice[] = []
  const faults: InvalidParam[] = []
  if (!financesInvoices(body.loan_type ?? '')) return { invoices, faults }
  for (const [index, given] of (body.invoices ?? []).entries()) {
    const { address: _, invoice_type: __, ...invoice } = given
    const to_account = invoice.to_account ?? body.to_account ?? null
    try {
      const wish = await prepareInvoice(context, partner_id, {
        ...invoice,
        to_account,
        is_draft: false,
      })
      invoices.push({ wish, names_account: Boolean(invoice.to_account) })
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'request_invalid') throw error
      for (const { name, reason } of error.extras.invalid_params ?? []) {
        faults.push({ name: `invoices.${index}.${name}`, reason })
      }
    }
  }
  return { invoices, faults }
}

/**
 * Creates them; answers their ids. One that the partner has declared before, and that says the
 * same now, is that one: loans on parts of an invoice may each bring it.
 */
export async function createBrought(
  tx: Tx,
  actor: Actor,
  partner_id: string,
  { invoices }: Brought,
): Promise<string[]> {
  const ids: string[] = []
  for (const { wish, names_account } of invoices) {
    const known = await findKnown(tx, partner_id, wish, names_account)
    ids.push(known ?? (await createInvoice(tx, actor, partner_id, wish)))
  }
  return ids
}

/** The invoices as they would be were they created now; nothing of it stays. */
export async function foreseeBrought(
  tx: Tx,
  actor: Actor,
  partner_id: string,
  brought: Brought,
): Promise<FinancedInvoice[]> {
  if (brought.invoices.length === 0) return []
  return tx.foresee(async () => {
    const ids = await createBrought(tx, actor, partner_id, brought)
    const invoices = await readInvoices(tx, ids)
    return ids.map(id => invoices.get(id)!)
  })
}
