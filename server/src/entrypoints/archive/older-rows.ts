/** Converts the rows of files from just before the baseline to the baseline's tables. */
import type pg from 'pg'
import { upgradeOlderPayments } from '../../money/payments/index.ts'
import { enterStoredNames } from '../../platform/db/directory.ts'
import { upgradeOlderJobs } from '../../platform/jobs/index.ts'
import { LENDER_ID } from '../../platform/kit/ids.ts'
import { quoted, type Table } from './catalogue.ts'

/** Tables in which the lender's rows had no partner before the baseline. */
const WITH_LENDERS_ROWS = [
  'acts',
  'documents',
  'kill_switches',
  'ledger_entries',
  'ledger_turnovers',
  'sandbox_bank_instructions',
  'state_changes',
]

/** Tables that did not exist before the baseline. */
const NEW_TABLES = ['bank_orders', 'directory', 'lender_orders', 'sandbox_bank_orders']
const NEW_COLUMNS: Readonly<Record<string, string>> = { payments: 'returned_at' }

export function olderTables(tables: readonly Table[]): Table[] {
  return tables
    .filter(({ name }) => !NEW_TABLES.includes(name))
    .map(({ name, columns }) => ({
      name,
      columns: columns.filter(column => column !== NEW_COLUMNS[name]),
    }))
}

/**
 * Runs `load` in the open transaction and converts its rows. Rows without a partner become the
 * lender's.
 */
export async function upgradingOlderRows(client: pg.ClientBase, load: () => Promise<void>) {
  await client.query(`create function name_lender() returns trigger language plpgsql as $$
    begin
      new.partner_id := '${LENDER_ID}';
      return new;
    end $$`)
  for (const table of WITH_LENDERS_ROWS) {
    await client.query(`create trigger name_lender before insert on ${quoted(table)}
      for each row when (new.partner_id is null) execute function name_lender()`)
  }
  await load()
  // Also drops the triggers.
  await client.query('drop function name_lender() cascade')
  await upgradeOlderJobs(client)
  await upgradeOlderPayments(client)
  await enterStoredNames(text => client.query(text))
}
