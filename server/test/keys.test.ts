/** Keys hold partners apart: a row names no row of another one, whatever the code does. */
import { expect, test } from 'vitest'
import { newId } from '../src/platform/kit/ids.ts'
import { testDatabase } from './support/database.ts'

/** Tables whose rows are named by id alone. The list only becomes shorter. */
const BY_ID_ALONE = [
  // Terms belong to nobody.
  'documents',
  // One more index would be written by every event.
  'events',
  // The lender's own people act in every partner's world.
  'operators',
]

/** Tables of partners' rows that are keyed otherwise still. The list only becomes shorter. */
const KEYED_OTHERWISE = `
  acts bills borrowers callers card_entries card_orders cards credit_lines document_bundles
  documents event_snapshots events events_unplaced fee_payments installment_parts
  installment_plans installment_shares keys kill_switches ledger_entries loan_installments
  loan_movements loans mails mandates onboardings operators payments plan_installments
  recollection_case_bills recollection_case_loans recollection_cases repay_links
  repayment_methods sandbox_bank_instructions sandbox_bank_wallets sandbox_cards state_changes
  subscription_fees subscriptions webhook_deliveries webhooks
`

/**
 * Tables without the second wall (docs/decisions/0004): the books and what is reached through rows
 * that have it, and what the sandbox keeps for the outside. The list only becomes shorter.
 */
const WITHOUT_WALL = `
  documents ledger_entries ledger_turnovers mails sandbox_bank_instructions sandbox_bank_wallets
  sandbox_compliance
`

test('keys begin with the partner', async () => {
  const pool = await testDatabase('migrated')
  const { rows } = await pool.query(`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'partner_id'
    join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relnamespace = 'public'::regnamespace and i.indkey[0] <> a.attnum order by 1`)
  expect(rows.map(({ name }) => name)).toEqual(KEYED_OTHERWISE.trim().split(/\s+/))
})

test('row-level security holds every table with a partner', async () => {
  const pool = await testDatabase('migrated')
  const { rows } = await pool.query(`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'partner_id'
    left join pg_policy w on w.polrelid = c.oid and w.polname = 'partner_wall'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not (c.relrowsecurity and c.relforcerowsecurity and w.polname is not null) order by 1`)
  // A migration adds the wall as 0028_walls.sql does.
  expect(rows.map(({ name }) => name)).toEqual(WITHOUT_WALL.trim().split(/\s+/))
})

test('what is named of a partner is named with the partner', async () => {
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

test('what foreign keys look up is the newest index that begins with the partner', async () => {
  const pool = await testDatabase('migrated')
  // While a table is nearly empty all of them cost the same, the newest is taken, and the plan of a
  // foreign key is kept for as long as nobody analyzes the table.
  const { rows } = await pool.query(`
    select distinct f.confrelid::regclass || ': ' || newer.indexrelid::regclass as newer
    from pg_constraint f
    join pg_attribute a on a.attrelid = f.confrelid and a.attname = 'partner_id'
    join pg_index newer on newer.indrelid = f.confrelid and newer.indpred is null
      and newer.indkey[0] = a.attnum and newer.indexrelid > f.conindid
    where f.contype = 'f' and a.attnum = any(f.confkey)`)
  expect(rows.map(row => row.newer)).toEqual([])
})

test("a row cannot name another partner's row, whoever writes it", async () => {
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
