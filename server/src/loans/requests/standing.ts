/**
 * What the register says of the companies of a loan request at the moment it is made: whether they
 * have become insolvent, or are solvent again. It is written down before the rules read it.
 */
import { sql } from 'kysely'
import { noteBorrowerStandings } from '../../borrowers/index.ts'
import type { Context } from '../../context.ts'
import { noteCounterpartyStandings } from '../../counterparties/index.ts'
import { type Tx, transaction } from '../../db/transaction.ts'
import type { Day } from '../../kit/dates.ts'
import { parseCompanyIdentifier } from '../../kit/identifiers/index.ts'
import type { CompanyNumber } from '../../ports/registry.ts'
import type { LoanBody } from './read-request.ts'
import { financesInvoices } from './rules.ts'

/** A partner's company as the register knows it now. */
export interface Standing {
  readonly partner_id: string
  readonly company_key: string
  readonly insolvent_since: Day | null
  readonly creation_date: string | null
}

/**
 * Asks for the borrower and for the parties of the invoices that are named; those of invoices that
 * come with the request are asked for when these are read. A wrong number asks for nobody.
 */
export async function learnStandings(
  context: Context,
  partner_id: string,
  body: Pick<LoanBody, 'borrower' | 'loan_type' | 'invoice_ids'>,
): Promise<Standing[]> {
  const { identifier, identifier_type } = body.borrower
  const type = identifier_type === 'name' ? null : (identifier_type ?? undefined)
  const parsed = type === null ? null : parseCompanyIdentifier(identifier, type)
  const borrower = parsed?.ok ? [{ ...parsed, partner_id }] : []
  const named = financesInvoices(body.loan_type) ? body.invoice_ids : []
  const parties = named.length > 0 ? await readParties(context, partner_id, named) : []
  const numbers = new Map([...parties, ...borrower].map(number => [number.company_key, number]))
  const found = await Promise.all([...numbers.values()].map(number => ask(context, number)))
  return found.filter(standing => standing !== null)
}

/** Null when the register knows it no longer: then what it said before stays. */
async function ask({ ports }: Context, number: CompanyNumber): Promise<Standing | null> {
  const { partner_id, company_key } = number
  const company = await ports.registry.find(number)
  if (!company) return null
  const { insolvent_since, creation_date } = company
  return { partner_id, company_key, insolvent_since, creation_date }
}

/** Those that the register was asked for when they were declared. */
function readParties(
  { database }: Context,
  partner_id: string,
  invoice_ids: readonly string[],
): Promise<CompanyNumber[]> {
  return transaction(database, { partners: [partner_id], read_only: true }, tx =>
    tx.all(sql<CompanyNumber>`
      select distinct c.partner_id, c.company_key, c.identifier, c.identifier_type, c.country
      from invoices i join counterparties c on c.id in (i.seller_id, i.buyer_id)
      where i.partner_id = ${partner_id} and i.id = any(${[...invoice_ids]}::uuid[])
        and c.limit_inputs->'is_active' <> 'null'`),
  )
}

/** Writes down what has changed; the transaction waits for it before it reads on. */
export function noteStandings(tx: Tx, standings: readonly Standing[]): void {
  if (standings.length === 0) return
  noteBorrowerStandings(tx, standings)
  noteCounterpartyStandings(tx, standings)
}
