/** Handles invoices that arrive with the loan request that finances them. */
import type { Context, Validation } from '../../../context.ts'
import { keysOf } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import {
  createInvoice,
  type DescribedInvoice,
  findDuplicateInvoice,
  type NewInvoice,
  prepareInvoice,
  readNewInvoice,
} from '../../invoices/index.ts'
import { financesInvoices } from '../../invoices/rules.ts'
import { readInvoices } from './invoice-facts.ts'
import type { FinancedInvoice } from './invoice-rules.ts'
import type { LoanBody } from './read-request.ts'

/** An invoice in a request, with its parties looked up in the registry. */
export interface NewLoanInvoice {
  readonly input: NewInvoice
  /** Whether the invoice itself, not just the request, names an account to be paid. */
  readonly names_account: boolean
}

/**
 * Reads the invoices in a request and their documents. An invoice without an account to be paid
 * takes the request's `to_account`.
 */
export async function readLoanInvoices(
  partner_id: string,
  { loan_type, invoices = [], to_account = null }: WellFormed<LoanBody>,
): Promise<Validation<readonly DescribedInvoice[]>> {
  if (!financesInvoices(loan_type ?? '')) return { faults: [], meaning: [] }
  const read = invoices.map(async (given, index) => {
    const own = given?.to_account ?? to_account
    const { faults, meaning } = await readNewInvoice(partner_id, { ...given, to_account: own })
    const at = faults.map(({ name, reason }) => ({ name: `invoices.${index}.${name}`, reason }))
    return { faults: at, meaning }
  })
  const found = await Promise.all(read)
  return {
    faults: found.flatMap(one => one.faults),
    meaning: found.flatMap(one => one.meaning ?? []),
  }
}

/** Looks up the parties of the request's invoices in the registry. */
export function fetchInvoiceParties(
  context: Context,
  partner_id: string,
  body: LoanBody,
  described: readonly DescribedInvoice[],
): Promise<NewLoanInvoice[]> {
  const fetched = described.map(async (one, index) => {
    const { metadata, to_account } = body.invoices[index]!
    const input = await prepareInvoice(context, partner_id, one, { is_draft: false, metadata })
    return { input, names_account: Boolean(to_account) }
  })
  return Promise.all(fetched)
}

/**
 * Creates the invoices and returns their ids. An invoice that the partner has already declared with
 * the same data is reused, because several loans on parts of an invoice may each contain it.
 */
export async function createLoanInvoices(
  tx: Tx,
  partner_id: string,
  brought: readonly NewLoanInvoice[],
): Promise<string[]> {
  const ids: string[] = []
  for (const { input, names_account } of brought) {
    const known = await findDuplicateInvoice(tx, partner_id, input, names_account)
    ids.push(known ?? (await createInvoice(tx, partner_id, input)))
  }
  return ids
}

/**
 * A request's stored invoices, then those that it contains, as they would be if created now.
 * Nothing is stored. All are read at once, so those of one company share its limit.
 */
export async function previewLoanInvoices(
  tx: Tx,
  partner_id: string,
  named: readonly string[],
  brought: readonly NewLoanInvoice[],
): Promise<FinancedInvoice[]> {
  const read = async (ids: readonly string[]) => {
    const found = await readInvoices(tx, keysOf(partner_id, ids))
    return ids.map(id => found.get(id)!)
  }
  if (brought.length === 0) return read(named)
  return tx.dryRun(async () => {
    const created = await createLoanInvoices(tx, partner_id, brought)
    return read([...new Set([...named, ...created])])
  })
}
