/** What was said beforehand about transfers: which loans a reference of its own pays. */
import { sql } from 'kysely'
import { insertInto } from '../db/insert.ts'
import type { Tx } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import { rfReference } from '../kit/reference.ts'

export interface NewTerms {
  readonly partner_id: string
  readonly caller_id: string
  readonly reason: string | null
  readonly loans: readonly { readonly id: string; readonly repayment_on: Day }[]
}

/**
 * Writes terms for locked loans of one partner and answers their id and reference. The reference
 * takes its place beside each loan's own, instead of one that terms gave it before; a transfer
 * that carries the older one still pays.
 */
export async function insertTerms(
  tx: Tx,
  { loans, ...terms }: NewTerms,
): Promise<{ id: string; reference: string }> {
  const id = tx.newId()
  const reference = rfReference(id)
  await tx.run(insertInto('repayment_terms', [{ id, reference, created_at: tx.now, ...terms }]))
  const rows = loans.map(loan => ({
    ...{ terms_id: id, partner_id: terms.partner_id, repayment_method: 'SCT' },
    ...{ loan_id: loan.id, repayment_on: loan.repayment_on },
  }))
  await tx.run(insertInto('repayment_terms_loans', rows))
  await tx.run(sql`
    update loans l set repayment_to_references = array[${reference}::text]
      || array(select r from unnest(l.repayment_to_references) with ordinality as given (r, at)
        where not exists (select from repayment_terms t where t.reference = r) order by at)
    where l.partner_id = ${terms.partner_id}
      and l.id = any(${loans.map(loan => loan.id)}::uuid[])`)
  return { id, reference }
}

/** The loans that references of terms name. */
export async function loansOfTerms(tx: Tx, references: readonly string[]): Promise<string[]> {
  const rows = await tx.all(sql<{ loan_id: string }>`
    select n.loan_id from repayment_terms t join repayment_terms_loans n on n.terms_id = t.id
    where t.reference = any(${references}::text[])`)
  return rows.map(row => row.loan_id)
}

/** The terms that a transfer came by, when its references name one. */
export async function termsNamed(tx: Tx, references: readonly string[]): Promise<string | null> {
  const found = await tx.maybe(sql<{ id: string }>`
    select id from repayment_terms where reference = any(${references}::text[]) limit 1`)
  return found?.id ?? null
}
