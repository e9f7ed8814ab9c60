/** Copies a borrower and its active loans, with one INSERT … SELECT per table. */
import { enterStoredNames } from '../server/src/platform/db/directory.ts'
import { type Database, type Tx, transaction } from '../server/src/platform/db/transaction.ts'

/**
 * The columns that differ in a copy, by table, as SQL over the original row `o` and the copy's
 * number `n`.
 */
const COPIED: [table: string, own: Record<string, string>][] = [
  [
    'borrowers',
    { id: id('id'), identifier: `'9' || lpad(n::text, 8, '0')`, company_key: text('company_key') },
  ],
  ['compliance_checks', { borrower_id: id('borrower_id') }],
  ['borrower_products', { id: id('id'), borrower_id: id('borrower_id') }],
  [
    'credit_lines',
    { id: id('id'), borrower_id: id('borrower_id'), contract_number: text('contract_number') },
  ],
  ['mandates', { id: id('id'), borrower_id: id('borrower_id'), reference: text('reference') }],
  [
    'repayment_methods',
    { id: id('id'), borrower_id: id('borrower_id'), mandate_id: id('mandate_id') },
  ],
  [
    'loans',
    {
      id: id('id'),
      borrower_id: id('borrower_id'),
      payer_id: `case o.payer_id when o.borrower_id then ${id('borrower_id')} else o.payer_id end`,
      borrower_product_id: id('borrower_product_id'),
      credit_line_id: id('credit_line_id'),
      mandate_id: id('mandate_id'),
      salt_id: text('salt_id'),
      repayment_reference: text('repayment_reference'),
      repayment_iban: text('repayment_iban'),
    },
  ],
  [
    'payments',
    {
      id: id('id'),
      borrower_id: id('borrower_id'),
      loan_id: id('loan_id'),
      mandate_id: id('mandate_id'),
    },
  ],
  ['loan_movements', { id: id('id'), loan_id: id('loan_id'), payment_id: id('payment_id') }],
  ['loan_principal_steps', { loan_id: id('loan_id') }],
]

/** SQL for the id of a copy: the original's, with the copy's number as the last twelve digits. */
function id(column: string): string {
  return `(left(o.${column}::text, 24) || lpad(to_hex(n), 12, '0'))::uuid`
}

function text(column: string): string {
  return `o.${column} || '-' || n`
}

/** Copies the database's only borrower `times` times. */
export async function copyBorrower(database: Database, times: number): Promise<void> {
  await transaction(database, { partners: '*', actor: 'service' }, async tx => {
    for (const [table, own] of COPIED) {
      const pairs = Object.entries(own).map(([column, value]) => `'${column}', ${value}`)
      const columns = await writableColumns(tx, table)
      const copied = columns.map(column => `r.${column}`)
      await tx.raw(`insert into ${table} (${columns.join(', ')}) select ${copied.join(', ')}
        from ${table} o, generate_series(1, ${times}) n,
        lateral jsonb_populate_record(o, jsonb_build_object(${pairs.join(', ')})) r`)
    }
    await enterStoredNames(text => tx.raw(text))
  })
}

export async function writableColumns(tx: Tx, table: string): Promise<string[]> {
  const { rows } = await tx.raw(`select attname as name from pg_attribute
    where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped
      and attgenerated = '' order by attnum`)
  return rows.map(row => row.name)
}
