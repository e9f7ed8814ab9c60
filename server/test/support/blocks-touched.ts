/** Counts the blocks that a statement reads from disk or cache, and the rows of a table. */
import pg from 'pg'
import type { Tx } from '../../src/platform/db/transaction.ts'
import type { Sent } from './statements.ts'

/**
 * Blocks touched by a statement, with a generic plan as in the service (`USE_GENERIC_PLANS` in
 * platform/db/connect.ts).
 */
export async function blocksTouched(
  tx: Tx,
  text: string,
  values: readonly unknown[],
): Promise<number> {
  await tx.raw(`prepare looked_at as ${text}`)
  const blocks = await blocksOf(tx, 'looked_at', values)
  await tx.raw('deallocate looked_at')
  return blocks
}

/** Blocks touched by each statement after `grow`, with the plan it got before. */
export async function touchedAfter(
  tx: Tx,
  grow: () => Promise<unknown>,
  statements: readonly Sent[],
): Promise<number[]> {
  for (const [n, { text, values }] of statements.entries()) {
    await tx.raw(`prepare looked_at_${n} as ${text}`)
    await tx.raw(`execute looked_at_${n}${given(values)}`)
  }
  await grow()
  const blocks: number[] = []
  for (const [n, { values }] of statements.entries()) {
    blocks.push(await blocksOf(tx, `looked_at_${n}`, values))
    await tx.raw(`deallocate looked_at_${n}`)
  }
  return blocks
}

interface Node {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Node[]
}

/** Rows of `table` that a statement reads, with a generic plan. */
export async function rowsRead(tx: Tx, { text, values }: Sent, table: string): Promise<number> {
  await tx.raw(`prepare looked_at as ${text}`)
  const count = (node: Node): number => {
    const below = (node.Plans ?? []).reduce((sum, plan) => sum + count(plan), 0)
    if (node['Relation Name'] !== table) return below
    const rows = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
    return below + rows * node['Actual Loops']
  }
  const rows = count(await planOf(tx, 'looked_at', values))
  await tx.raw('deallocate looked_at')
  return rows
}

async function blocksOf(tx: Tx, name: string, values: readonly unknown[]): Promise<number> {
  const plan = await planOf(tx, name, values)
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

async function planOf(tx: Tx, name: string, values: readonly unknown[]): Promise<Node> {
  const { rows } = await tx.raw(
    `explain (analyze, buffers, format json) execute ${name}${given(values)}`,
  )
  return rows[0]['QUERY PLAN'][0].Plan
}

function given(values: readonly unknown[]): string {
  return values.length > 0 ? `(${values.map(literal).join(', ')})` : ''
}

function literal(value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  if (Buffer.isBuffer(value)) return pg.escapeLiteral(arrayOf(membersOf(value)))
  return pg.escapeLiteral(Array.isArray(value) ? arrayOf(value) : String(value))
}

/** The OID of `bigint`, the type of cents. */
const INT8 = 20

/** Parses an array in PostgreSQL's binary format: a header, then each value after its length. */
function membersOf(list: Buffer): (string | null)[] {
  const type = list.readUInt32BE(8)
  const members: (string | null)[] = []
  for (let at = 20; at < list.length; at += 4) {
    const bytes = list.readInt32BE(at)
    const [begin, end] = [at + 4, at + 4 + bytes]
    const read = () =>
      type === INT8 ? String(list.readBigInt64BE(begin)) : list.toString('hex', begin, end)
    members.push(bytes < 0 ? null : read())
    at += Math.max(0, bytes)
  }
  return members
}

function arrayOf(values: readonly unknown[]): string {
  return `{${values.map(value => value ?? 'null').join(',')}}`
}
