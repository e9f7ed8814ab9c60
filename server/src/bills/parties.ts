/** Who a bill is made out to: its borrower, or the partner's own company. */
import { type RawBuilder, sql } from 'kysely'
import { type BorrowerRow, partyOf } from '../borrowers/index.ts'
import type { Tx } from '../db/transaction.ts'
import type { Country, Language, Party } from '../documents/index.ts'
import { assert } from '../kit/assert.ts'
import type { BillRow } from './store.ts'

export interface Payer {
  readonly party: Party
  readonly country: Country
  readonly language: Language
  readonly emails: readonly (string | null)[]
}

export async function payerOfBill(tx: Tx, bill: BillRow): Promise<Payer> {
  if (bill.borrower_id) {
    const borrower = await tx.one(sql<BorrowerRow>`
      select * from borrowers where id = ${bill.borrower_id}`)
    return {
      party: partyOf(borrower),
      country: borrower.country as Country,
      language: borrower.preferred_language as Language,
      emails: [borrower.business_email],
    }
  }
  const company = await tx.maybe(sql<BorrowerRow & { language: Language; emails: string[] }>`
    select * from partner_companies where partner_id = ${bill.partner_id}`)
  assert(company, `partner ${bill.partner_id} has a company to be billed`)
  const { language, emails } = company
  return { party: partyOf(company), country: company.country as Country, language, emails }
}

/** The company of a bill's payer beside a bill `b`: `o` a borrower or `c` a partner's company. */
export const payerColumns: RawBuilder<unknown> = sql`
  coalesce(o.identifier, c.identifier) as identifier,
  coalesce(o.identifier_type, c.identifier_type) as identifier_type`

export const payerJoins: RawBuilder<unknown> = sql`
  left join borrowers o on o.id = b.borrower_id
  left join partner_companies c on b.borrower_id is null and c.partner_id = b.partner_id`
