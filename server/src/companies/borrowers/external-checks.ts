/** Steps that precede the transaction for a borrower: external checks, and storing terms. */
import type { ComplianceStatus } from '@headroom/contract'
import type { Context } from '../../context.ts'
import type { CountryCode } from '../../countries/index.ts'
import { readForPartner, transaction } from '../../platform/db/transaction.ts'
import { parseIban } from '../../platform/kit/iban.ts'
import { invalid, problem } from '../../platform/kit/problem.ts'
import { NOT_OWNED } from './accounts.ts'
import { ensureTerms, offeredProducts } from './products.ts'
import { findBorrower } from './queries.ts'
import type { BorrowerRow } from './store.ts'

/** Reads a partner's borrower in a separate read-only transaction. Throws `resource_unknown`. */
export async function readBorrowerOutsideTransaction(
  context: Context,
  partner_id: string,
  id: string,
): Promise<BorrowerRow> {
  const borrower = await readForPartner(context, partner_id, tx => findBorrower(tx, partner_id, id))
  if (!borrower) throw problem('resource_unknown')
  return borrower
}

/** Stores a country's terms if missing, so that they can be read and signed. */
export async function prepareTerms(context: Context, country: CountryCode): Promise<void> {
  const scope = { partners: '*', read_only: true } as const
  const [product] = await transaction(context.database, scope, offeredProducts)
  if (product) await ensureTerms(context.database, product, country)
}

/**
 * Throws `request_invalid` if the account's bank reports another holder. Accepts an account that
 * the bank cannot verify, and an invalid IBAN, which other checks refuse.
 */
export async function verifyAccount(
  context: Context,
  holder: { name: string },
  account_number: string | null | undefined,
  param: string,
): Promise<void> {
  if (await isPayee(context, holder, account_number)) return
  throw invalid({ name: param, reason: NOT_OWNED })
}

/** False only if the bank reports another holder. A missing or invalid IBAN counts as true. */
export async function isPayee(
  context: Context,
  holder: { name: string },
  account_number: string | null | undefined,
): Promise<boolean> {
  const parsed = account_number ? parseIban(account_number) : null
  if (!parsed?.ok) return true
  const { iban } = parsed
  return (await context.ports.bank.verifyPayee({ iban, name: holder.name })) !== 'no_match'
}

export function checkCompliance(
  context: Context,
  company: { partner_id: string; company_key: string; name: string },
): Promise<ComplianceStatus> {
  const { partner_id, company_key, name } = company
  return context.ports.compliance.check({ partner_id, company_key, name })
}
