/** What the lender's people do, as their functions are called by whatever they sit at. */
import { createOperator } from '../../src/platform/access/index.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import type { TestHouse } from './house.ts'

/** A new operator's id. */
export async function operatorOf({ context }: TestHouse): Promise<string> {
  const email = `${crypto.randomUUID()}@headroom.example`
  const { operator_id } = await transaction(context.database, { partners: '*' }, tx =>
    createOperator(tx, { email }),
  )
  return operator_id
}

/** Does it in a transaction of its own, and whatever it gives rise to. */
export async function atDesk<T>(house: TestHouse, work: (tx: Tx) => Promise<T>): Promise<T> {
  const done = await transaction(house.context.database, { partners: '*' }, work)
  await house.drain()
  return done
}
