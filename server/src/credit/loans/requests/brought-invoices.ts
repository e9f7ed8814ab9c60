/** Invoices that come with the loan request which is to finance them. */
import type { Context, Findings } from '../../../context.ts'
import type { Actor } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import {
  createInvoice,
  type DescribedInvoice,
  findKnown,
  type NewInvoice,
  prepareInvoice,
  readNewInvoice,
} from '../../invoices/index.ts'
import { financesInvoices } from '../../invoices/rules.ts'
import { readInvoices } from './invoice-facts.ts'
import type { FinancedInvoice } from './invoice-rules.ts'
import type { LoanBody } from './read-request.ts'

/** An invoice that a request brings, looked up at the register. */
export interface BroughtInvoice {
  readonly wish: NewInvoice
  /** It says itself where it is to be paid. */
  readonly names_account: boolean
}

/**
 * Reads the invoices that a request brings, and their documents. One that does not say where it is
 * to be paid takes the loan's `to_account`.
 */
export async function readBrought(
  partner_id: string,
  { loan_type, invoices = [], to_account = null }: WellFormed<LoanBody>,
): Promise<Findings<readonly DescribedInvoice[]>> {
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

/** Asks the register for the parties of what a request brings. */
export function learnBrought(
  context: Context,
  partner_id: string,
  body: LoanBody,
  described: readonly DescribedInvoice[],
): Promise<BroughtInvoice[]> {
  const learnt = described.map(async (one, index) => {
    const { metadata, to_account } = body.invoices[index]!
    const wish = await prepareInvoice(context, partner_id, one, { is_draft: false, metadata })
    return { wish, names_account: Boolean(to_account) }
  })
  return Promise.all(learnt)
}

/**
 * Creates them; answers their ids. One that the partner has declared before, and that says the
 * same now, is that one: loans on parts of an invoice may each bring it.
 */
export async function createBrought(
  tx: Tx,
  actor: Actor,
  partner_id: string,
  brought: readonly BroughtInvoice[],
): Promise<string[]> {
  const ids: string[] = []
  for (const { wish, names_account } of brought) {
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
  brought: readonly BroughtInvoice[],
): Promise<FinancedInvoice[]> {
  if (brought.length === 0) return []
  return tx.foresee(async () => {
    const ids = await createBrought(tx, actor, partner_id, brought)
    const invoices = await readInvoices(tx, ids)
    return ids.map(id => invoices.get(id)!)
  })
}
