/** A transaction runs one statement at a time, and the statements of a list in order. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { statement, type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { testApp } from '../support/app.ts'

const app = await testApp({ connections: POOL_MAX, work: false })

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) =>
  transaction(app.context.database, { partners: '*', actor: 'service' }, work)

const rename = (name: string) =>
  sql`update partners set name = ${name} where id = ${app.partner_id}`
const nameOf = sql<{ name: string }>`select name from partners where id = ${app.partner_id}`

test('a statement is refused while another is running, and nothing is written', async () => {
  const refused = /one statement at a time/
  const together = inTransaction(tx => Promise.all([tx.run(rename('Two')), tx.all(nameOf)]))
  await expect(together).rejects.toThrow(refused)
  const floating = inTransaction(async tx => {
    void tx.run(rename('Two')).catch(() => {})
  })
  await expect(floating).rejects.toThrow(refused)
  const sent = inTransaction(async tx => {
    const first = tx.run(rename('Two'))
    try {
      tx.send(rename('Three'))
    } finally {
      await first
    }
  })
  await expect(sent).rejects.toThrow(refused)
  expect(await inTransaction(tx => tx.one(nameOf))).toEqual({ name: 'Demo Payments' })
})

test('a list of statements runs in order, and its first failure is thrown', async () => {
  const read = await inTransaction(async tx => {
    const [before, , nothing, after] = await tx.inOrder([
      statement(nameOf, ([row]) => row!.name),
      statement(rename('Two')),
      null,
      statement(nameOf, ([row]) => row!.name),
    ])
    await tx.run(rename(before))
    return [before, nothing, after]
  })
  expect(read).toEqual(['Demo Payments', null, 'Two'])
  const failing = inTransaction(tx =>
    tx.inOrder([statement(rename('Two')), statement(sql`select 1 / 0`), statement(nameOf)]),
  )
  await expect(failing).rejects.toThrow('division by zero')
  expect(await inTransaction(tx => tx.one(nameOf))).toEqual({ name: 'Demo Payments' })
})
