/** Runs operators' actions by calling modules' functions directly, without the console's API. */
import { createOperator } from '../../src/platform/access/index.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import type { TestApp } from './app.ts'

export async function createOperatorId({ context }: TestApp): Promise<string> {
  const email = `${crypto.randomUUID()}@headroom.example`
  const { operator_id } = await transaction(
    context.database,
    { partners: '*', actor: 'command line' },
    tx => createOperator(tx, { email }),
  )
  return operator_id
}

/** Runs the work in its own transaction, then all ready jobs. */
export async function asOperator<T>(app: TestApp, work: (tx: Tx) => Promise<T>): Promise<T> {
  const done = await transaction(app.context.database, { partners: '*', actor: null }, work)
  await app.drain()
  return done
}
