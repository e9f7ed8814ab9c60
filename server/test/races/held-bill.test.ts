/** A bill is held while the run that instructs debits is waiting for the lock on its debit. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { holdRefusedBill } from '../../src/credit/bills/index.ts'
import { instructDuePayments } from '../../src/money/payments/index.ts'
import { runPaged } from '../../src/platform/db/slices.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { setClock, testApp, until } from '../support/app.ts'
import { createOperatorSession, signIn } from '../support/console.ts'
import { lend, runSql } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const SENT = '2027-02-01'
const NEXT = '2027-02-02'

const app = await testApp({ work: false, new: true })
const { client } = app
const { database } = app.context
const inTransaction = <T>(work: (tx: Tx) => Promise<T>) =>
  transaction(database, { partners: '*', actor: 'service' }, work)

test('its debit is not instructed', async () => {
  const borrower = await readyBorrower(app)
  await lend(app, borrower, { amount: 50_000, days: 45 })
  const operators = ['ana@lender.example', 'bob@lender.example'].map(async email => {
    await createOperatorSession(app, { email, role: 'reviewer' })
    return signIn(app, email)
  })
  const [ana, bob] = await Promise.all(operators)
  await ana!.admin('throwSwitch', { body: { kind: 'collections', reason: 'For a while.' } })
  await client.advanceSandboxClock({ to: SENT })
  await app.drain()
  const billOf = async () => (await client.listBills({ business_id: [borrower.id] })).data[0]!
  const bill = await billOf()
  const debit = async () => {
    const query = sql<{ status: string }>`select status from payments where bill_id = ${bill.id}`
    return (await inTransaction(tx => tx.one(query))).status
  }
  expect([bill.status, await debit()]).toEqual(['TO_PAY', 'SCHEDULED'])
  await bob!.admin('liftSwitch', { body: { kind: 'collections' } })
  await setClock(app, NEXT)
  await runSql(
    app,
    `update mails set sent_at = null, refused_at = now(), refused_because = 'No'`,
    [],
  )
  await runSql(app, 'update bills set email_sent_at = null', [])

  const held = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const refused = {
    partner_id: app.partner_id,
    borrower_id: borrower.id,
    bill_id: bill.id,
    revenue_share_id: null,
    recipient: 'ada@borrower.example',
    subject: 'Bill',
    reason: 'No',
  }
  const holding = inTransaction(async tx => {
    await holdRefusedBill(tx, refused)
    held.resolve()
    await commit.promise
  })
  await held.promise
  const instructing = runPaged(database, instructDuePayments(day(NEXT)))
  await until(() =>
    inTransaction(tx =>
      tx.maybe(sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`),
    ),
  )
  commit.resolve()
  await Promise.all([holding, instructing])
  expect(await debit()).toBe('SCHEDULED')
  expect((await billOf()).status).toBe('VALIDATED')
})
