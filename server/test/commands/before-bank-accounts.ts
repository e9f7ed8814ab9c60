/** Turns rows into those of a deployment from before its books had several bank accounts. */
import type pg from 'pg'
import { transaction } from '../../src/platform/db/transaction.ts'
import { sealEntries } from '../../src/platform/ledger/index.ts'
import type { TestApp } from '../support/app.ts'
import { seeingAll } from './databases.ts'

const BOOKS = ['ledger_accounts', 'ledger_postings', 'ledger_seals']

/** All cash becomes the funding account's, without a booking date of the bank, sealed again. */
export async function mergeCash(app: TestApp): Promise<void> {
  const { database } = app.context
  const { id } = database.settings.bank_accounts.FUNDING
  const cash = `(select id from ledger_accounts where code = 'bank_cash' and owner_id = '${id}')`
  await unguarded(database.pool, [
    `update ledger_postings set account_id = ${cash} where account_id in
       (select id from ledger_accounts where code = 'bank_cash')`,
    'update ledger_postings set bank_booked_on = null',
    'truncate ledger_seals, ledger_sealed_balances, ledger_cash_days, ledger_turnovers',
    `delete from ledger_accounts where code = 'bank_cash' and owner_id <> '${id}'`,
    `insert into ledger_unsealed select partner_id, id from ledger_entries on conflict do nothing`,
    `update payments set bank_account_id = case status when 'PAID' then '${id}'::uuid end,
       bank_booked_on = case status when 'PAID' then paid_on end`,
    `update bank_news set bank_account_id = '${id}',
       booked_on = (received_at at time zone 'Europe/Paris')::date`,
    "update sandbox_bank_instructions set account = 'FUNDING'",
    `update sandbox_bank_statement set account = 'FUNDING',
       booked_on = (created_at at time zone 'Europe/Paris')::date`,
  ])
  const seal = () =>
    transaction(database, { partners: '*', actor: 'service' }, tx => sealEntries(tx))
  while ((await seal()) > 0);
}

/** Before, cash had no owner; afterwards it is the funding account's. */
export async function setCashOwner(pool: pg.Pool, owner_id: string | null): Promise<void> {
  const owner = owner_id === null ? 'null' : `'${owner_id}'`
  await unguarded(pool, [`update ledger_accounts set owner_id = ${owner} where code = 'bank_cash'`])
}

async function unguarded(pool: pg.Pool, statements: readonly string[]): Promise<void> {
  await seeingAll(pool, async client => {
    for (const table of BOOKS) await client.query(`alter table ${table} disable trigger user`)
    for (const statement of statements) await client.query(statement)
    for (const table of BOOKS) await client.query(`alter table ${table} enable trigger user`)
  })
}
