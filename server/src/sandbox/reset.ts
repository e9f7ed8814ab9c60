/**
 * Resets the deployment: deletes the business data of all partners, including the ledger, and sets
 * the clock back to real time. `KEPT_TABLES` lists what stays.
 */
import { sql } from 'kysely'
import type { OrchestratedHandler } from '../context.ts'
import { removeNamesExcept } from '../platform/db/directory.ts'
import { lockForReset } from '../platform/db/resets.ts'
import { type Tx, transaction } from '../platform/db/transaction.ts'
import { problem } from '../platform/kit/problem.ts'
import { requester } from '../platform/kit/requester.ts'

/** Truncated together. Listed by name, because the database may hold tables of other software. */
export const EMPTIED_TABLES = [
  'state_changes',
  'business_days',
  'portfolio_days',
  'events',
  'event_snapshots',
  'event_positions',
  'events_unplaced',

  'borrowers',
  'owner_documents',
  'compliance_checks',
  'borrower_accounts',
  'mandates',
  'wallets',
  'repayment_methods',
  'borrower_products',
  'terms_acceptances',
  'credit_lines',
  'loans',
  'loan_movements',
  'loan_principal_steps',
  'loan_log',
  'late_loans',
  'loan_past_terms',
  'loan_installments',
  'loan_documents',
  'document_bundles',
  'repayment_terms',
  'repayment_terms_loans',
  'repay_links',
  'ledger_accounts',
  'ledger_entries',
  'ledger_postings',
  'ledger_balances',
  'ledger_seals',
  'ledger_unsealed',
  'ledger_sealed_balances',
  'ledger_turnovers',
  'kill_switches',
  'write_offs',

  'payments',
  'payment_names',
  'bank_orders',
  'lender_orders',
  'bank_news',
  'suspense_items',
  'alerts',
  'bills',
  'bill_lines',
  'partner_shares',
  'processor_payments',
  'order_files',
  'file_bank_orders',
  'bank_files',
  'bank_file_pieces',
  'order_answers',
  'sandbox_bank_orders',
  'sandbox_bank_instructions',
  'sandbox_bank_statement',
  'sandbox_bank_wallets',
  'registry_answers',
  'company_files',
  'company_proposals',
  'company_evidence',
  'screenings',
  'screening_hits',
  'sandbox_compliance',
  'sandbox_companies',
  'webhooks',
  'webhook_deliveries',
  'documents',
  'mails',
  'onboardings',
  'referrals',
  'revenue_shares',
  'subscriptions',
  'subscription_fees',
  'fee_payments',
  'data_batches',
  'data_uploads',
  'shared_accounts',
  'shared_transactions',
  'shared_invoices',
  'shared_activity',
  'credit_assessments',
  'limit_overrides',
  'cards',
  'card_orders',
  'card_entries',
  'card_news',
  'sandbox_cards',
  'counterparties',
  'invoices',
  'invoice_loans',
  'decisions',
  'decision_steps',
  'decision_attempts',
  'attempt_counts',
  'recollection_cases',
  'recollection_case_loans',
  'recollection_case_bills',
  'recollection_actions',
  'installment_plans',
  'plan_installments',
  'installment_parts',
  'installment_shares',
  'recollection_payouts',
  'recollection_interest_stops',
]
/**
 * Deleted row by row, since truncating would wait for running jobs and for the reset request
 * itself.
 */
export const TABLES_DELETED_BY_ROW = ['jobs', 'idempotency_keys']
/** Tables that a reset keeps. The directory keeps only the names of keys. */
export const KEPT_TABLES = [
  'referrers',
  'referral_codes',
  'migrations',
  'deployment',
  'partners',
  'callers',
  'keys',
  'directory',
  'products',
  'product_changes',
  'operators',
  'operator_secrets',
  'sessions',
  'sign_ins',
  'acts',
  'audit_seals',
  'scorecards',
  'registry_sources',
  'risk_classes',
  'partner_companies',
  'partner_products',
]
/** Tables with triggers against deletion, which a reset disables. */
const GUARDED_TABLES = [
  'ledger_accounts',
  'ledger_entries',
  'ledger_postings',
  'ledger_seals',
  'state_changes',
  'events',
  'event_snapshots',
  'decision_attempts',
  'audit_seals',
  'bank_orders',
  'lender_orders',
]

export const resetSandbox: OrchestratedHandler<'resetSandbox'> = {
  orchestrate: async ({ database, worker, log }, { caller }) => {
    if (database.settings.mode !== 'sandbox') throw problem('route_unknown')
    // Finishes all jobs first. Otherwise the bank would later report on orders that no longer
    // exist.
    await worker.drain()
    await transaction(database, { partners: '*', actor: 'sandbox' }, async tx => {
      await lockForReset(tx)
      requester()?.left?.throwIfAborted()
      await emptyDeployment(tx)
    })
    log.warn({ caller_id: caller.caller_id }, 'the sandbox was reset')
    return null
  },
}

/**
 * Deletes all business data in one transaction, which must hold the lock for resets: two resets
 * would deadlock on each other's tables. Must never run in a live deployment.
 */
export async function emptyDeployment(tx: Tx): Promise<void> {
  // Jobs first, so that none starts on data about to be deleted.
  for (const name of TABLES_DELETED_BY_ROW) await tx.run(sql`delete from ${sql.table(name)}`)
  const tables = sql.join(EMPTIED_TABLES.map(name => sql.table(name)))
  for (const table of GUARDED_TABLES) await guard(tx, table, 'disable')
  await tx.run(sql`truncate ${tables}`)
  // The directory is not truncated, because every request looks up its key there.
  await removeNamesExcept(tx, 'key')
  await tx.run(sql`delete from audit_seals where record = any(${EMPTIED_TABLES}::text[])`)
  for (const table of GUARDED_TABLES) await guard(tx, table, 'enable')
  await tx.run(sql`update partners set exposure = 0, invoice_review = 'NONE'`)
  await tx.run(sql`update deployment set clock_offset_ms = 0`)
}

async function guard(tx: Tx, table: string, how: 'disable' | 'enable'): Promise<void> {
  await tx.run(sql`alter table ${sql.table(table)} ${sql.raw(how)} trigger user`)
}
