/** Keys, indexes, row-level security and statements keep each partner's rows apart. */
import { expect, test } from 'vitest'
import { newId } from '../src/platform/kit/ids.ts'
import { testDatabase } from './support/database.ts'
import { readsWithoutPartner, writesWithoutPartner } from './tidy/scope.ts'

/** Tables referenced by id alone, without the `partner_id`. The list may only get shorter. */
const BY_ID_ALONE = [
  // The lender's operators act on the data of every partner.
  'operators',
]

/**
 * Tables with a `partner_id` whose primary key does not begin with it. The list may only get
 * shorter.
 */
const KEYED_OTHERWISE = [
  // Names are unique over all partners.
  'directory',
  // One chain of seals covers the entries of all partners.
  'ledger_seals',
  // The lender's operators act on the data of every partner.
  'operators',
]

/**
 * Tables without row-level security, the second barrier between partners (docs/decisions/0004): the
 * books, tables reached only through protected rows, and data of the simulated outside. The list
 * may only get shorter.
 */
const WITHOUT_WALL = `
  documents ledger_accounts ledger_balances ledger_cash_days ledger_entries ledger_postings
  ledger_sealed_balances ledger_seals ledger_turnovers ledger_unsealed mails
  sandbox_bank_instructions sandbox_bank_wallets sandbox_compliance
`

/**
 * Indexes that do not begin with the `partner_id` of their table, by reason. The lists may only get
 * shorter.
 */
const INDEXED_OTHERWISE = {
  // For runs and operators' lists over all partners: the few rows that are due or pending.
  runs: `
    bills_falling_due bills_validated card_entries_lapsing compliance_checks_status
    credit_lines_assessed decisions_open document_bundles_created idempotency_keys_created
    invoices_waiting loan_installments_due loan_movements_revocable loan_past_terms_until
    loans_due loans_held loans_scheduled mandates_unused payments_due payments_leaving
    payments_owed_back plan_installments_unpaid recollection_actions_due
    sandbox_bank_instructions_due webhooks_to_clear write_offs_proposed
  `,
  // Looked up before the partner is known. A name that is unique over all partners belongs in the
  // directory instead.
  names: `
    borrower_accounts_number card_entries_original directory_pkey invoices_number
    operators_email_key sandbox_bank_instructions_payment_id_key
    sandbox_cards_provider_card_id_key
  `,
  // In one order over all partners: seals, positions in the feed, the books by time, operators.
  order: `
    acts_sealed decision_attempts_sealed event_positions_event_id_key ledger_entries_when
    ledger_seals_pkey ledger_unsealed_order operators_pkey state_changes_sealed
  `,
}

/**
 * Files with statements that write rows of partners by id alone, as `path: table`. The list may
 * only get shorter.
 */
const WRITTEN_BY_ID_ALONE = [
  'access/store.ts: operators',
  'adapters/sandbox/card-issuer.ts: sandbox_cards',
  'counterparties/store.ts: counterparties',
  'http/idempotency.ts: idempotency_keys',
]

/**
 * Files with statements that look up rows of partners by an id alone, as `path: table`. The list
 * may only get shorter.
 */
const READ_BY_ID_ALONE = [
  // The simulated bank and card processor know only the ids of orders and cards.
  'adapters/sandbox/bank-instructions.ts: sandbox_bank_instructions',
  'adapters/sandbox/card-issuer.ts: sandbox_cards',
]

async function tablesOfPartners(): Promise<string[]> {
  const pool = await testDatabase('migrated')
  const { rows } = await pool.query<{ name: string }>(`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'partner_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`)
  return rows.map(({ name }) => name)
}

test('a statement that writes rows of a partner names the partner', async () => {
  const tables = new Set(await tablesOfPartners())
  expect(writesWithoutPartner(tables)).toEqual(WRITTEN_BY_ID_ALONE)
})

test('a statement that looks up rows of a partner by an id names the partner', async () => {
  const tables = await tablesOfPartners()
  const keyed = new Set(tables.filter(name => !KEYED_OTHERWISE.includes(name)))
  expect(readsWithoutPartner(keyed)).toEqual(READ_BY_ID_ALONE)
})

test('primary keys begin with the partner_id', async () => {
  const pool = await testDatabase('migrated')
  const { rows } = await pool.query(`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'partner_id'
    join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relnamespace = 'public'::regnamespace and i.indkey[0] <> a.attnum order by 1`)
  expect(rows.map(({ name }) => name)).toEqual(KEYED_OTHERWISE)
})

test('indexes begin with the partner_id', async () => {
  const pool = await testDatabase('migrated')
  const { rows } = await pool.query(`
    select i.indexrelid::regclass::text as name from pg_index i
    join pg_attribute a on a.attrelid = i.indrelid and a.attname = 'partner_id'
    join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and i.indkey[0] <> a.attnum`)
  const listed = Object.values(INDEXED_OTHERWISE).flatMap(names => names.trim().split(/\s+/))
  expect(rows.map(({ name }) => name).sort()).toEqual(listed.sort())
})

test('row-level security covers every table with a partner_id', async () => {
  const pool = await testDatabase('migrated')
  const { rows } = await pool.query(`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'partner_id'
    left join pg_policy w on w.polrelid = c.oid and w.polname = 'partner_wall'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not (c.relrowsecurity and c.relforcerowsecurity and w.polname is not null) order by 1`)
  // A new table gets its policy in a migration, as in 0029_walls.sql.
  expect(rows.map(({ name }) => name)).toEqual(WITHOUT_WALL.trim().split(/\s+/))
})

test('a foreign key to a table with a partner_id includes it', async () => {
  const pool = await testDatabase('migrated')
  const { rows } = await pool.query(
    `
    select f.conrelid::regclass || ': ' || pg_get_constraintdef(f.oid) as key
    from pg_constraint f
    join pg_attribute own on own.attrelid = f.conrelid and own.attname = 'partner_id'
    join pg_attribute named on named.attrelid = f.confrelid and named.attname = 'partner_id'
    where f.contype = 'f' and f.confrelid <> all($1::regclass[]) and not exists (
      select from unnest(f.conkey, f.confkey) as pair (of_own, of_named)
      where of_own = own.attnum and of_named = named.attnum)
    order by 1`,
    [BY_ID_ALONE],
  )
  expect(rows.map(({ key }) => key)).toEqual([])
})

test("a foreign key's lookups use the newest index that begins with the partner", async () => {
  const pool = await testDatabase('migrated')
  // On a nearly empty table all of these indexes cost the same, so PostgreSQL chooses the newest,
  // and foreign keys keep that plan until the table is analyzed.
  const { rows } = await pool.query(`
    select distinct f.confrelid::regclass || ': ' || newer.indexrelid::regclass as newer
    from pg_constraint f
    join pg_attribute a on a.attrelid = f.confrelid and a.attname = 'partner_id'
    join pg_index newer on newer.indrelid = f.confrelid and newer.indpred is null
      and newer.indkey[0] = a.attnum and newer.indexrelid > f.conindid
    where f.contype = 'f' and a.attnum = any(f.confkey)`)
  expect(rows.map(row => row.newer)).toEqual([])
})

test("a row cannot refer to another partner's row, whatever code writes it", async () => {
  const pool = await testDatabase('migrated')
  const client = await pool.connect()
  try {
    await client.query("select set_config('headroom.partners', '*', false)")
    const [own, other, borrower] = [newId(), newId(), newId()]
    await client.query(
      `insert into partners (id, name, exposure_max, created_at)
       select id, 'A partner', 0, now() from unnest($1::uuid[]) id`,
      [[own, other]],
    )
    await client.query(
      `insert into borrowers (id, partner_id, company_key, identifier, identifier_type, country,
         entity_type, name, company, preferred_language, status, created_at)
       values ($1, $2, 'A', 'A', 'FR_SIREN', 'FR', 'COMPANY', 'A', '{}', 'fr', 'SIGNED', now())`,
      [borrower, own],
    )
    const line = (partner_id: string) =>
      client.query(
        `insert into credit_lines (id, partner_id, borrower_id, contract_number, pool_amount,
           starts_on, ends_on, assessed_on, signed_at, created_at)
         values ($1, $2, $3, $1::uuid::text, 0, now(), now(), now(), now(), now())`,
        [newId(), partner_id, borrower],
      )
    await expect(line(other)).rejects.toThrow('credit_lines_partner_id_borrower_id_fkey')
    expect((await line(own)).rowCount).toBe(1)
  } finally {
    await client.query('reset headroom.partners')
    client.release()
  }
})
