/**
 * Which modules' tables a module reads; only those of lower modules are allowed, as for imports.
 */
import ts from 'typescript'
import { layerOf, MODULES, moduleOf } from './layers.ts'
import { below, nodesOf, pathInArea, type Source, typescript } from './sources.ts'
import { tableOwners } from './words.ts'

const READS = /\b(?:from|join)\s+(?:lateral\s+)?([a-z_]+)/g

/** A file's SQL: the text of its template literals, the only place where tables are read. */
function sqlOf(file: Source): string {
  const parts = [...nodesOf(file)].filter(ts.isTemplateLiteralToken)
  return parts.map(node => node.text).join('\n')
}

/** Files that read a table of a higher module, as `path: table`. */
export function readsUpwards(): string[] {
  const owners = tableOwners()
  return below(typescript, 'server/src')
    .flatMap(file => {
      const tables = new Set([...sqlOf(file).matchAll(READS)].map(match => match[1]!))
      const here = layerOf.get(moduleOf(file.path))!
      const above = [...tables].filter(table => {
        const owner = owners.get(table)
        return (
          owner &&
          MODULES.includes(owner) &&
          owner !== moduleOf(file.path) &&
          layerOf.get(owner)! >= here
        )
      })
      return above.map(table => `${pathInArea(file.path)}: ${table}`)
    })
    .sort()
}

/**
 * The known exceptions: figures that a module's answers or rules need and only the higher module
 * has. The list may only get shorter.
 */
export const READS_UPWARDS = [
  'borrowers/advance-borrower.ts: credit_lines',
  'borrowers/restrictions/block-borrowers.ts: credit_lines',
  'counterparties/queries.ts: invoice_loans',
  'counterparties/queries.ts: invoices',
  'counterparties/queries.ts: loans',
  'credit-lines/financial-products.ts: loans',
  'credit-lines/financial-products.ts: subscriptions',
  'credit-lines/history.ts: loans',
  'credit-lines/inputs.ts: loans',
  'credit-lines/queries.ts: loans',
  'credit-lines/tenant-line.ts: loan_principal_steps',
  'credit-lines/tenant-line.ts: loans',
  'invoices/list-invoices.ts: invoice_loans',
  'invoices/list-invoices.ts: loans',
  'invoices/queries.ts: invoice_loans',
  'invoices/queries.ts: loans',
  'invoices/review-invoice.ts: invoice_loans',
  'invoices/review-invoice.ts: loans',
  'loans/requests/decision-inputs.ts: bills',
  'payments/instruct-due-payments.ts: bills',
  'payments/queries.ts: fee_payments',
  'payments/queries.ts: installment_parts',
  'payments/queries.ts: installment_shares',
  'payments/queries.ts: loan_movements',
]
