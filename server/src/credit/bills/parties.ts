/** Finds the payer a bill is addressed to: its borrower, or the partner's own company. */
import { type RawBuilder, sql } from 'kysely'
import { type BorrowerRow, partyOf } from '../../companies/borrowers/index.ts'
import type { Country, Language, Party } from '../../integrations/documents/index.ts'
import { contactsOf } from '../../money/partner-terms/index.ts'
import { haveKeys, keysBy } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import type { BillRow } from './store.ts'

export interface Payer {
  readonly party: Party
  readonly country: Country
  readonly language: Language
  /**
   * Addresses to which the payer's bills are mailed: its own or, for a borrower that has none, its
   * partner's. Empty if there are none.
   */
  readonly emails: readonly string[]
}

type Company = BorrowerRow & { partner_id: string; language: Language; emails: string[] }

export async function payersOf(
  tx: Tx,
  bills: readonly BillRow[],
): Promise<ReadonlyMap<string, Payer>> {
  const borrowers = keysBy(bills, 'borrower_id')
  const partners = bills.filter(bill => !bill.borrower_id).map(bill => bill.partner_id)
  const people = await tx.all(sql<BorrowerRow>`
    select * from borrowers where ${haveKeys(borrowers, 'borrowers')}`)
  const companies = await tx.all(sql<Company>`
    select * from partner_companies where partner_id = any(${partners}::uuid[])`)
  const contacts = await contactsOf(tx, borrowers)
  const payers = new Map<string, Payer>()
  for (const borrower of people) {
    payers.set(borrower.id, {
      party: partyOf(borrower),
      country: borrower.country,
      language: borrower.preferred_language,
      emails: contacts.get(borrower.id)!.emails,
    })
  }
  for (const company of companies) {
    const { partner_id, country, language, emails } = company
    payers.set(partner_id, {
      party: partyOf(company),
      country,
      language,
      emails,
    })
  }
  const unknown = bills.find(bill => !payers.has(bill.payer_id))
  assert(!unknown, `partner ${unknown?.partner_id} has a company to be billed`)
  return payers
}

export async function partnersThatSend(
  tx: Tx,
  partner_ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.all(sql<{ partner_id: string }>`
    select partner_id from partner_companies
    where partner_id = any(${partner_ids}::uuid[]) and sends_bills`)
  return new Set(rows.map(row => row.partner_id))
}

/** Columns of the payer of a bill `b`: `o` is a borrower, `c` a partner's company. */
export const payerColumns: RawBuilder<unknown> = sql`
  coalesce(o.identifier, c.identifier) as identifier,
  coalesce(o.identifier_type, c.identifier_type) as identifier_type`

export const payerJoins: RawBuilder<unknown> = sql`
  left join borrowers o on o.partner_id = b.partner_id and o.id = b.borrower_id
  left join partner_companies c on b.borrower_id is null and c.partner_id = b.partner_id`
