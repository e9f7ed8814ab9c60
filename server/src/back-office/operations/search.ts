/** Searches resources by name, number, reference, IBAN, or the id of a resource or its parts. */
import type { FOUND_KINDS, Found } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { AdminHandlers } from '../../context.ts'
import { haveNames } from '../../platform/db/directory.ts'
import { ofEachPartner, ofPartner } from '../../platform/db/of-partner.ts'
import { likePattern } from '../../platform/db/page.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import { isUuid } from '../../platform/kit/ids.ts'
import { partnerScopeOf } from './partner-scope.ts'

const EACH_MAX = 10

interface SearchQuery {
  /** `text` as typed; `compact` in capitals and without separators, for IBANs and numbers. */
  readonly text: string
  readonly compact: string
  readonly id: string | null
}

const SEARCHED: Record<
  (typeof FOUND_KINDS)[number],
  { table: string; title: string; by: (wanted: SearchQuery) => RawBuilder<unknown> }
> = {
  borrower: {
    table: 'borrowers',
    title: 'coalesce(t.name, t.identifier)',
    by: ({ text, compact, id }) => sql`t.id in (
      select id from borrowers where identifier = ${compact} or vat_number = ${compact}
        or name ilike ${likePattern(text)}
      union select borrower_id from borrower_accounts where account_number = ${compact}
      union select borrower_id from credit_lines
        where ${ofEachPartner('credit_lines')} and id = ${id}::uuid
      union select borrower_id from borrower_products
        where ${ofEachPartner('borrower_products')} and id = ${id}::uuid
      union select borrower_id from repayment_methods
        where ${ofEachPartner('repayment_methods')} and id = ${id}::uuid)`,
  },
  loan: {
    table: 'loans',
    title: 't.id::text',
    by: ({ compact }) => sql`${haveNames('t', 'reference', [compact])}
      or ${haveNames('t', 'account', [compact])}`,
  },
  invoice: {
    table: 'invoices',
    title: 'coalesce(t.invoice_number, t.id::text)',
    by: ({ text }) => sql`upper(t.invoice_number) = ${text.toUpperCase()}`,
  },
  bill: {
    table: 'bills',
    title: 'coalesce(t.invoice_number, t.reference)',
    by: ({ text, compact }) => sql`${haveNames('t', 'bill_number', [text])}
      or ${haveNames('t', 'reference', [compact])}`,
  },
  payment: { table: 'payments', title: 't.id::text', by: () => sql`false` },
  card: {
    table: 'cards',
    title: "'•••• ' || coalesce(t.last4, '')",
    by: ({ id }) => sql`t.id = any(array(
      select card_id from card_entries
      where ${ofEachPartner('card_entries')} and id = ${id}::uuid))`,
  },
  case: {
    table: 'recollection_cases',
    title: 't.id::text',
    by: ({ id }) => sql`t.id = any(array(
      select case_id from installment_plans
        where ${ofEachPartner('installment_plans')} and id = ${id}::uuid
      union select p.case_id from plan_installments i
        join installment_plans p on p.partner_id = i.partner_id and p.id = i.plan_id
        where ${ofEachPartner('i')} and i.id = ${id}::uuid))`,
  },
  decision: { table: 'decisions', title: 't.title', by: () => sql`false` },
  onboarding: {
    table: 'onboardings',
    title: "coalesce(t.company ->> 'name', t.identifier, t.email)",
    by: ({
      text,
      compact,
    }) => sql`t.identifier = ${compact} or lower(t.email) = ${text.toLowerCase()}
      or t.company ->> 'name' ilike ${likePattern(text)}`,
  },
}

/** Returns at most ten of each kind, among the partners visible to the transaction. */
async function find(tx: Tx, typed: string, partner_id: string | null): Promise<Found[]> {
  const text = typed.trim()
  const wanted = {
    text,
    compact: text.replace(/[\s.-]/g, '').toUpperCase(),
    id: isUuid(text) ? text.toLowerCase() : null,
  }
  const parts = Object.entries(SEARCHED).map(
    ([kind, { table, title, by }]) => sql`(
      select ${kind}::text as kind, t.id, t.partner_id, p.name as partner,
        coalesce(${sql.raw(title)}, t.id::text) as title, t.status::text as status
      from ${sql.table(table)} t join partners p on p.id = t.partner_id
      where ${ofPartner(partner_id, 't')}
        and (${ofEachPartner('t')} and t.id = ${wanted.id}::uuid or ${by(wanted)})
      order by t.id desc limit ${EACH_MAX})`,
  )
  return tx.all(sql<Found>`${sql.join(parts, sql` union all `)}`)
}

export const searchHandlers: Pick<AdminHandlers, 'search'> = {
  search: {
    orchestrate: async ({ database }, { person, query }) => {
      const { partner_id, partners } = partnerScopeOf(person)
      const scope = { partners, read_only: true } as const
      return { data: await transaction(database, scope, tx => find(tx, query.query, partner_id)) }
    },
  },
}
