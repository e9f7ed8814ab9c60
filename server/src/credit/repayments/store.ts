/**
 * The only SQL that writes pay-by-link pages and repayment terms, which record the loans that a
 * common reference pays.
 */
import { type Insertable, sql } from 'kysely'
import { enterNames, haveNames } from '../../platform/db/directory.ts'
import { insertInto } from '../../platform/db/insert.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { rfReference } from '../../platform/kit/reference.ts'
import { shareReference } from '../loans/index.ts'

export interface NewTerms {
  readonly partner_id: string
  readonly reason: string | null
  readonly loans: readonly { readonly id: string; readonly repayment_on: Day }[]
}

/**
 * Inserts terms for locked loans of one partner; returns their id and reference. The reference is
 * added to each loan's own and replaces that of earlier terms, but a transfer with an earlier
 * reference still pays the loans.
 */
export async function insertTerms(
  tx: Tx,
  { loans, ...terms }: NewTerms,
): Promise<{ id: string; reference: string }> {
  const id = tx.newId()
  const reference = rfReference(id)
  const row = { id, reference, caller_id: tx.actor, created_at: tx.now, ...terms }
  enterNames(tx, 'reference', [row], entered => entered.reference)
  await tx.run(insertInto('repayment_terms', [row]))
  const rows = loans.map(loan => ({
    terms_id: id,
    partner_id: terms.partner_id,
    repayment_method: 'SCT',
    loan_id: loan.id,
    repayment_on: loan.repayment_on,
  }))
  await tx.run(insertInto('repayment_terms_loans', rows))
  const loan_ids = loans.map(loan => loan.id)
  const earlier = await tx.all(sql<{ reference: string }>`
    select distinct t.reference from repayment_terms t
    join repayment_terms_loans n on n.partner_id = t.partner_id and n.terms_id = t.id
    where n.partner_id = ${terms.partner_id} and n.loan_id = any(${loan_ids}::uuid[])
    order by t.reference`)
  const replaced = earlier.map(one => one.reference)
  await shareReference(tx, terms.partner_id, loan_ids, reference, replaced)
  return { id, reference }
}

export async function insertLink(tx: Tx, row: Insertable<DB['repay_links']>): Promise<void> {
  await tx.run(insertInto('repay_links', [row]))
}

/** The id of a partner's first terms that have one of these references; null if there are none. */
export async function findTermsByReference(
  tx: Tx,
  partner_id: string,
  references: readonly string[],
): Promise<string | null> {
  const found = await tx.maybe(sql<{ id: string }>`
    select id from repayment_terms
    where partner_id = ${partner_id}
      and ${haveNames('repayment_terms', 'reference', references)}
    order by id limit 1`)
  return found?.id ?? null
}
