/** The directory of names that are unique across all partners, and the rows that they name. */
import { type RawBuilder, sql } from 'kysely'
import { haveKeysIn, ofEachPartner } from './of-partner.ts'
import type { Tx } from './transaction.ts'

/** The columns that hold each kind of name. `where` limits a column to some of its rows. */
const NAME_COLUMNS = {
  /** The account numbers of wallets, and of accounts opened for a single loan. */
  account: [
    { table: 'wallets', column: 'account_number' },
    {
      table: 'loans',
      column: 'repayment_iban',
      where: "loan_type = 'INVOICE_BASED_FINANCING'",
    },
  ],
  authorization: [{ table: 'card_entries', column: 'authorization_ref' }],
  bill_number: [{ table: 'bills', column: 'invoice_number' }],
  card: [{ table: 'cards', column: 'provider_card_id' }],
  card_transaction: [{ table: 'card_entries', column: 'transaction_ref' }],
  contract: [{ table: 'credit_lines', column: 'contract_number' }],
  key: [{ table: 'keys', column: 'hash' }],
  mandate: [{ table: 'mandates', column: 'reference' }],
  /** The id of a payment, which the bank uses to report on our orders. */
  order: [{ table: 'payments', column: 'id' }],
  /** Creditor references of transfers. */
  reference: [
    { table: 'loans', column: 'repayment_reference' },
    { table: 'bills', column: 'reference' },
    { table: 'installment_plans', column: 'reference' },
    { table: 'plan_installments', column: 'reference' },
    { table: 'subscription_fees', column: 'reference' },
    { table: 'repayment_terms', column: 'reference' },
  ],
} as const

type NameKind = keyof typeof NAME_COLUMNS

interface NamedRow {
  readonly partner_id: string
  readonly id: string
}

/**
 * Enters the names of new rows; rows without a name (null) are skipped. Call it in the transaction
 * that stores the names. They are written just before the commit, which fails if another row has
 * one of them.
 */
export function enterNames<Row extends NamedRow>(
  tx: Tx,
  kind: NameKind,
  rows: readonly Row[],
  nameOf: (row: Row) => string | null | undefined,
): void {
  const entries = rows.flatMap(row => {
    const value = nameOf(row)
    return value ? [{ kind, value, partner_id: row.partner_id, id: row.id }] : []
  })
  tx.append('directory', entries)
}

/** Selects the keys (`partner_id`, `id`) of the rows with these names. */
export function rowsNamed(kind: NameKind, values: readonly string[]): RawBuilder<NamedRow> {
  return sql`select partner_id, id from directory
    where kind = ${sql.lit(kind)} and value = any(${values}::text[])`
}

/** Matches the rows of `table` with these names, among the partners that the transaction sees. */
export function haveNames(
  table: string,
  kind: NameKind,
  values: readonly string[],
): RawBuilder<boolean> {
  return haveKeysIn(table, sql`(${rowsNamed(kind, values)})`)
}

const STORED_NAMES = Object.entries(NAME_COLUMNS)
  .flatMap(([kind, places]) =>
    places.map(place => {
      const also = 'where' in place ? `and ${place.where}` : ''
      return `select '${kind}' as kind, ${place.column}::text as value, partner_id, id
        from ${place.table} where ${place.column} is not null ${also}`
    }),
  )
  .join(' union all ')

/**
 * Enters the names of rows that were not written through a store, for example by an import. If two
 * rows have the same name, only one gets an entry, and `verifyDirectory` reports the other.
 */
export async function enterStoredNames(query: (text: string) => Promise<unknown>): Promise<void> {
  await query(`
    insert into directory (kind, value, partner_id, id)
    select kind, value, partner_id, id from (${STORED_NAMES}) stored
    on conflict (kind, value) do nothing`)
}

/** Removes the names of all partners, except those of one kind. */
export async function removeNamesExcept(tx: Tx, kept: NameKind): Promise<void> {
  await tx.run(sql`
    delete from directory where ${ofEachPartner('directory')} and kind <> ${kept}`)
}

/** Returns up to five findings: names whose entry is missing or wrong, entries without a row. */
export async function verifyDirectory(tx: Tx): Promise<{ check: string; detail: string }[]> {
  const wrong = await tx.all(sql<{ detail: string }>`
    select coalesce(s.kind, d.kind) || ' ' || coalesce(s.value, d.value) || ' is stored with '
      || coalesce(s.id::text, 'no row') || ', the directory has ' || coalesce(d.id::text, 'none')
      as detail
    from (${sql.raw(STORED_NAMES)}) s
    full join directory d on d.kind = s.kind and d.value = s.value
    where s.id is distinct from d.id or s.partner_id is distinct from d.partner_id limit 5`)
  return wrong.map(({ detail }) => ({ check: 'directory', detail }))
}
