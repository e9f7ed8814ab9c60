/** Counts the blocks a statement touches. */
import pg from 'pg'
import type { Tx } from '../../src/platform/db/transaction.ts'
import type { Sent } from './statements.ts'

/**
 * Blocks touched by a statement under a generic plan, like the service's own statements
 * (db/connect.ts).
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

/** Like `blocksTouched`, for statements planned and run once before `grow`. */
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

async function blocksOf(tx: Tx, name: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await tx.raw(
    `explain (analyze, buffers, format json) execute ${name}${given(values)}`,
  )
  const { Plan } = rows[0]['QUERY PLAN'][0]
  return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
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

/** The OID of the type of cents. */
const INT8 = 20

/** IDs or cents of a list in binary format: a header, then each value with its length. */
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
