/** What a transfer pays is found by an index, however much there is: no table is read through. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { type Tx, transaction } from '../../src/db/transaction.ts'
import { findPaid, findTarget } from '../../src/repayments/named.ts'
import { type TestHouse, testHouse } from '../support/house.ts'

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly Alias?: string
  readonly Plans?: readonly Node[]
}

let house: TestHouse
beforeAll(async () => {
  house = await testHouse({ work: false })
})

/** The tables that the statements of `work` read without an index to find their rows by. */
async function readThrough(work: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  return transaction(house.context.database, { partners: '*', read_only: true }, async tx => {
    // Where an index can be used, it is: what is still read through has none.
    await tx.raw('set local enable_seqscan = off')
    const found: string[] = []
    const looked = (query: Parameters<Tx['all']>[0]) => explain(tx, query, found)
    const looking: Tx = {
      ...tx,
      all: query => looked(query).then(() => tx.all(query)),
      maybe: query => looked(query).then(() => tx.maybe(query)),
    }
    await work(looking)
    return found
  })
}

async function explain(tx: Tx, query: Parameters<Tx['all']>[0], found: string[]): Promise<void> {
  const { 'QUERY PLAN': plans } = await tx.one(sql<{ 'QUERY PLAN': [{ Plan: Node }] }>`
    explain (format json) ${query}`)
  const walk = (node: Node): void => {
    const kind = node['Node Type']
    const reads = kind === 'Seq Scan' || kind.startsWith('Index')
    if (reads && !node['Index Cond']) found.push(`${kind} of ${node['Relation Name']}`)
    for (const below of node.Plans ?? []) walk(below)
  }
  walk(plans[0].Plan)
}

const REFERENCE = 'RF18539007547034'

test('a transfer that names references, an account or a contract', async () => {
  const transfer = { to_iban: 'FR7630006000011234567890189', from_iban: null, from_name: null }
  const text = `${REFERENCE} HR-2027-0001`
  const through = await readThrough(tx => findPaid(tx, { ...transfer, reference: text }))
  expect(through).toEqual([])
})

test.each([REFERENCE, '0190a000-0000-7000-8000-000000000000'])('a person names %s', async name => {
  expect(await readThrough(tx => findTarget(tx, name))).toEqual([])
})
