/** Every process and every document sees the lender in force on its business day. */
import { expect, test } from 'vitest'
import { prepareTerms, termsFor } from '../../src/companies/borrowers/index.ts'
import { lenderOf } from '../../src/integrations/documents/index.ts'
import { isLenderIban } from '../../src/money/payments/index.ts'
import { isCollectionIban, repaymentAccount } from '../../src/platform/db/collection-accounts.ts'
import type { ConnectionPool } from '../../src/platform/db/connect.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { seeingAll } from '../commands/databases.ts'
import { testDatabase } from '../support/database.ts'
import {
  COLLECTION_IBAN,
  FIRST_DAY,
  type LiveApp,
  lenderVersion,
  liveApp,
  liveEnvironment,
} from '../support/live.ts'

const JUNE = '2027-06-01'
const NEXT = '2027-06-02'
const NEW_IBAN = 'DE02120300000000202051'
const { accounts } = lenderVersion()
const june = lenderVersion({
  in_force_from: JUNE,
  name: 'Prêts de Juin SA',
})

const read = <T>({ context }: LiveApp, work: (tx: Tx) => T | Promise<T>) =>
  transaction(context.database, { partners: '*', read_only: true }, async tx => work(tx))
const nameIn = (app: LiveApp) => read(app, tx => lenderOf(tx.settings.lender).name)

async function rowsOf(pool: ConnectionPool) {
  const { rows } = await pool.query(
    `select in_force_from, revision::int, content is null as is_withdrawn from lender_versions
     order by revision, in_force_from`,
  )
  return rows
}

test('a version is in force from its day on, and earlier accounts stay ours', async () => {
  const pool = await testDatabase('migrated')
  const first = await liveApp({ pool, env: liveEnvironment([lenderVersion(), june]) })
  expect(await nameIn(first)).toBe('Prêts Exemple SAS')
  first.setDay('2027-05-31')
  expect(await nameIn(first)).toBe('Prêts Exemple SAS')
  first.setDay(JUNE)
  expect(await nameIn(first)).toBe('Prêts de Juin SA')
  expect(await read(first, tx => isLenderIban(tx, NEW_IBAN))).toBe(false)

  const moved = lenderVersion({
    in_force_from: NEXT,
    accounts: { ...accounts, collection: { iban: NEW_IBAN, bic: 'BYLADEM1001' } },
  })
  const app = await liveApp({
    pool,
    env: liveEnvironment([lenderVersion(), june, moved]),
    on: NEXT,
  })
  expect(await read(app, tx => tx.settings.lender.collection_iban)).toBe(NEW_IBAN)
  const shown = (iban: string) => read(app, tx => repaymentAccount(tx.settings, iban))
  expect(await shown(COLLECTION_IBAN)).toMatchObject({
    bank_identifier: 'AGRIFRPP',
    name: 'Prêts de Juin SA',
  })
  expect(await shown(NEW_IBAN)).toMatchObject({ bank_identifier: 'BYLADEM1001' })
  for (const iban of [NEW_IBAN, COLLECTION_IBAN]) {
    expect(await read(app, tx => isLenderIban(tx, iban))).toBe(true)
    expect(await read(app, tx => isCollectionIban(tx.settings, iban))).toBe(true)
  }
})

test('a version stored by one process applies in all of them', async () => {
  const pool = await testDatabase('migrated')
  const running = await liveApp({ pool })
  await liveApp({ pool, env: liveEnvironment([lenderVersion(), june]) })
  running.setDay(JUNE)
  expect(await nameIn(running)).toBe('Prêts de Juin SA')
})

test('the history says which versions were stored, replaced and withdrawn', async () => {
  const pool = await testDatabase('migrated')
  const start = (versions: object[], withdrawn?: string[]) =>
    liveApp({ pool, env: liveEnvironment(versions, withdrawn) }).then(app => app.close())
  const restart = (...versions: object[]) => start(versions)
  await restart(lenderVersion(), june)
  await restart(lenderVersion(), june)
  await restart(lenderVersion(), { ...june, email: 'june@lender.example' })
  await expect(restart(lenderVersion())).rejects.toThrow(`the one from ${JUNE} is stored`)
  await start([lenderVersion()], [JUNE])
  await start([lenderVersion()], [JUNE])
  expect(await rowsOf(pool)).toEqual([
    { in_force_from: FIRST_DAY, revision: 1, is_withdrawn: false },
    { in_force_from: JUNE, revision: 1, is_withdrawn: false },
    { in_force_from: JUNE, revision: 2, is_withdrawn: false },
    { in_force_from: JUNE, revision: 3, is_withdrawn: true },
  ])
  const { rows: acts } = await seeingAll(pool, client =>
    client.query(`select act, reason from acts where resource = 'lender_version' order by id`),
  )
  expect(acts.at(-1)).toEqual({ act: 'delete', reason: `the version from ${JUNE} was withdrawn` })
  expect(acts).toHaveLength(4)
  await expect(pool.query('delete from lender_versions')).rejects.toThrow('append-only')
})

test('a start with a changed past is refused, and stores nothing', async () => {
  const pool = await testDatabase('migrated')
  await liveApp({ pool })
  const env = liveEnvironment([lenderVersion({ name: 'Other' }), june])
  await expect(liveApp({ pool, env })).rejects.toThrow(
    `HEADROOM_LENDER: versions: the one from ${FIRST_DAY} has been in force`,
  )
  expect(await rowsOf(pool)).toHaveLength(1)
})

test('two processes that start together store the versions once', async () => {
  const pool = await testDatabase('migrated')
  await Promise.all([liveApp({ pool }), liveApp({ pool })])
  expect(await rowsOf(pool)).toHaveLength(1)
})

test('another lender has terms of its own, and the old ones stay as they were', async () => {
  const app = await liveApp({ env: liveEnvironment([lenderVersion(), june]) })
  const { database } = app.context
  const terms = async () => {
    await prepareTerms(app.context, 'FR')
    return (await read(app, tx => termsFor(tx, 'FR', 'fr')))!.id
  }
  const first = await terms()
  expect(await terms()).toBe(first)
  app.setDay(JUNE)
  expect(await read(app, tx => termsFor(tx, 'FR', 'fr'))).toBeUndefined()
  const second = await terms()
  expect(second).not.toBe(first)
  const { rows } = await seeingAll(database.pool, client =>
    client.query(`select id, paper::text from documents where kind = 'TERMS'`),
  )
  const paper = (id: string) => rows.find(row => row.id === id).paper
  expect(paper(first)).toContain('Prêts Exemple SAS')
  expect(paper(second)).toContain('Prêts de Juin SA')
})
