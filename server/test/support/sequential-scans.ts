/** Finds tables and indexes that statements read from end to end. */
import { sql } from 'kysely'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import type { TestApp } from './app.ts'

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Alias?: string
  readonly Plans?: readonly Node[]
}

/** Describes each scan in `work` that no index condition limits. */
export async function sequentialScans(
  { context }: TestApp,
  work: (tx: Tx) => Promise<unknown>,
): Promise<string[]> {
  const scope = { partners: '*', read_only: true, actor: 'service' } as const
  return transaction(context.database, scope, async tx => {
    // Makes the planner use any suitable index, so a sequential scan means that none exists.
    await tx.raw('set local enable_seqscan = off')
    const found: string[] = []
    const looked = (query: Parameters<Tx['all']>[0]) => explain(tx, query, found)
    const looking: Tx = {
      ...tx,
      all: query => looked(query).then(() => tx.all(query)),
      one: query => looked(query).then(() => tx.one(query)),
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
    const reads = kind === 'Seq Scan' || kind.includes('Index')
    if (reads && !node['Index Cond'])
      found.push(`${kind} of ${node['Relation Name'] ?? node['Index Name']}`)
    for (const below of node.Plans ?? []) walk(below)
  }
  walk(plans[0].Plan)
}
