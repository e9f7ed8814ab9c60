/** Who is recorded as the actor of what a transaction does. */
import { expect, test } from 'vitest'
import { setGate } from '../../src/platform/access/index.ts'
import { perTransaction, type Tx, transaction } from '../../src/platform/db/transaction.ts'
import type { Scope } from '../../src/platform/db/turns.ts'
import { testApp } from '../support/app.ts'

const app = await testApp({ work: false })
const { database } = app.context
const BY_ONE = { partners: '*', actor: 'one' } as const
const gate = { people_need_decisions: true }

const inTransaction = <T>(scope: Scope, work: (tx: Tx) => Promise<T>) =>
  transaction(database, scope, work)

async function actorsOf(partner_id: string): Promise<string[]> {
  const { rows } = await inTransaction({ partners: '*', read_only: true }, tx =>
    tx.raw(`select actor from acts where resource_id = $1 order by id`, [partner_id]),
  )
  return rows.map(row => row.actor)
}

test('the actor is that of the transaction, or the one it acts as', async () => {
  await inTransaction(BY_ONE, async tx => {
    await setGate(tx, app.partner_id, gate)
    await setGate(tx.as('two'), app.partner_id, gate)
    await setGate(tx.as('two').as('three'), app.partner_id, gate)
    await setGate(tx, app.partner_id, gate)
  })
  expect(await actorsOf(app.partner_id)).toEqual(['one', 'two', 'three', 'one'])
})

test('acting as another is the same transaction', async () => {
  const kept = perTransaction(() => new Set<string>())
  const other = await inTransaction(BY_ONE, async tx => {
    const two = tx.as('two')
    kept(two).add('seen')
    expect([...kept(tx)]).toEqual(['seen'])
    expect([two.now, two.pending]).toEqual([tx.now, tx.pending])
    await tx.dryRun(() => setGate(two, app.second_partner_id, gate))
    await two.dryRun(() => setGate(tx, app.second_partner_id, gate))
    return tx
  })
  await inTransaction(BY_ONE, async tx => expect(kept(tx)).not.toBe(kept(other)))
  expect(await actorsOf(app.second_partner_id)).toEqual([])
})

test('nothing is recorded without an actor', async () => {
  const nobody = { partners: '*', actor: null } as const
  const refused = inTransaction(nobody, tx => setGate(tx, app.second_partner_id, gate))
  await expect(refused).rejects.toThrow('names its actor')
  await inTransaction(nobody, tx => setGate(tx.as('four'), app.second_partner_id, gate))
  expect(await actorsOf(app.second_partner_id)).toEqual(['four'])
  const reading = inTransaction({ ...BY_ONE, read_only: true }, tx =>
    setGate(tx, app.second_partner_id, gate),
  )
  await expect(reading).rejects.toThrow('a transaction opened for reading writes')
})
