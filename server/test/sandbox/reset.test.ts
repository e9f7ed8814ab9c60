/** What a reset keeps and deletes, on a real database. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPartner } from '../../src/platform/access/partners.ts'
import { enterNames } from '../../src/platform/db/directory.ts'
import { EMPTIED_TABLES, KEPT_TABLES, TABLES_DELETED_BY_ROW } from '../../src/platform/db/tables.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { enqueue, flushJobs } from '../../src/platform/jobs/index.ts'
import { addDays, parisDay } from '../../src/platform/kit/dates.ts'
import { LENDER_ID, newId } from '../../src/platform/kit/ids.ts'
import { bankCash, post } from '../../src/platform/ledger/index.ts'
import { emptyDeployment } from '../../src/sandbox/reset.ts'
import { type BankFixture, openBankFixture, order } from '../adapters/sandbox/bank-fixture.ts'

const ALL = { partners: '*', actor: 'service' } as const
let app: BankFixture
beforeAll(async () => {
  app = await openBankFixture()
})
afterAll(() => app.close())

async function rowsOf(): Promise<Record<string, number>> {
  return transaction(app.database, ALL, async tx => {
    const tables = await tx.all(
      sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`,
    )
    const counts: Record<string, number> = {}
    for (const { name } of tables) {
      const counted = await tx.one(
        sql<{ n: number }>`select count(*)::int as n from ${sql.table(name)}`,
      )
      counts[name] = counted.n
    }
    return counts
  })
}

async function fill(): Promise<string> {
  const { bank, database } = app
  await app.setDay(addDays(parisDay(new Date()), 30))
  const partner = await transaction({ ...database, beforeCommit: [flushJobs] }, ALL, async tx => {
    const made = await createPartner(tx, { name: 'Partner' })
    const { partner_id } = made
    await tx.run(sql`update partners set exposure = 100`)
    await tx.run(sql`
        insert into borrowers (id, partner_id, company_key, identifier, identifier_type, country,
          entity_type, name, company, preferred_language, status, created_at)
        values (${newId()}, ${partner_id}, 'FR:1', '732829320', 'siren', 'FR', 'COMPANY', 'A', '{}',
          'fr', 'TO_SIGN', ${tx.now})`)
    await post(tx, [
      {
        kind: 'suspense_received',
        partner_id: LENDER_ID,
        value_on: tx.today,
        postings: [
          { ...bankCash(tx.settings.bank_accounts.FUNDING.id, tx.today), amount: 5n },
          { code: 'suspense', owner_id: null, amount: -5n },
        ],
      },
    ])
    const id = newId()
    enterNames(tx, 'mandate', [{ partner_id, id }], mandate => mandate.id)
    enqueue(tx, 'send_mail', { partner_id: LENDER_ID, mail_id: newId() })
    return partner_id
  })
  const today = await transaction(database, ALL, async tx => tx.today)
  await bank.submit(order('SDD', today))
  return partner
}

test('business data is deleted, callers are kept, the clock is reset', async () => {
  const partner_id = await fill()
  const before = await rowsOf()
  const made = {
    directory: 2,
    borrowers: 1,
    ledger_postings: 2,
    sandbox_bank_instructions: 1,
    jobs: 1,
  }
  expect(before).toMatchObject(made)

  await transaction(app.database, ALL, emptyDeployment)

  const after = await rowsOf()
  for (const [table, rows] of Object.entries(after)) {
    const kept = table === 'directory' ? 1 : before[table]
    const rest = KEPT_TABLES.includes(table) ? kept : 0
    expect({ table, rows }).toEqual({ table, rows: rest })
  }
  const state = await transaction(app.database, ALL, async tx => ({
    today: tx.today,
    partner: await tx.one(sql`select exposure from partners where id = ${partner_id}`),
    keys: await tx.one(sql`select count(*)::int as n from keys where partner_id = ${partner_id}`),
  }))
  expect(state).toEqual({
    today: parisDay(new Date()),
    partner: { exposure: 0n },
    keys: { n: 1 },
  })
})

test('afterwards the ledger still refuses changes', async () => {
  for (const table of ['ledger_entries', 'ledger_postings', 'ledger_seals']) {
    await expect(app.database.pool.query(`truncate ${table} cascade`)).rejects.toThrow(
      'append-only',
    )
  }
})

test('every table of the database is either kept or emptied', async () => {
  const decided = [...KEPT_TABLES, ...EMPTIED_TABLES, ...TABLES_DELETED_BY_ROW]
  expect(decided.toSorted()).toEqual(Object.keys(await rowsOf()).toSorted())
})
