/** Operators' actions, called as functions like every user interface does. */
import { createOperator } from '../../src/platform/access/index.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import type { TestHouse } from './house.ts'

/** The ID of a new operator. */
export async function operatorOf({ context }: TestHouse): Promise<string> {
  const email = `${crypto.randomUUID()}@headroom.example`
  const { operator_id } = await transaction(context.database, { partners: '*' }, tx =>
    createOperator(tx, { email }),
  )
  return operator_id
}

/** Runs the work in its own transaction, then the jobs that follow from it. */
export async function atDesk<T>(house: TestHouse, work: (tx: Tx) => Promise<T>): Promise<T> {
  const done = await transaction(house.context.database, { partners: '*' }, work)
  await house.drain()
  return done
}
