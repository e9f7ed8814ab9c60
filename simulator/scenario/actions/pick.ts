/** Helpers for actions: random borrowers, loans and other resources, and idempotency keys. */
import type { Answer } from '@headroom/contract'
import type { Client } from '@headroom/sdk'
import { type Tx, transaction } from '../../../server/src/platform/db/transaction.ts'
import { type Day, day } from '../../../server/src/platform/kit/dates.ts'
import type { Borrower, PendingWrite, World } from '../world.ts'

export type Loan = Answer<'getLoan'>

/** Reads the state of the life and chooses a write; null if there is nothing to do. */
export type Action = (world: World) => Promise<PendingWrite | null>

export async function today(client: Client): Promise<Day> {
  return day((await client.getSandboxClock()).business_date.slice(0, 10))
}

/** An idempotency key, which identifies the write when it is repeated after a crash. */
export function key(): { idempotency_key: string } {
  return { idempotency_key: crypto.randomUUID() }
}

/** A random element, or null if there is none. */
export function pickOne<T>({ random }: World, things: readonly T[]): T | null {
  return things.length > 0 ? random.pick(things) : null
}

export function someBorrower(world: World): Borrower | null {
  return pickOne(world, world.borrowers)
}

/** A random loan in its current state; null if there is none, or if it has none of the statuses. */
export async function someLoan(
  world: World,
  statuses: readonly Loan['status'][] = [],
): Promise<Loan | null> {
  const known = pickOne(world, world.loans)
  if (!known) return null
  const loan = await world.app.clients[known.partner]!.getLoan({ loan_id: known.id })
  return statuses.length === 0 || statuses.includes(loan.status) ? loan : null
}

export function partnerOf({ loans }: World, loan: { readonly id: string }): number {
  return loans.find(one => one.id === loan.id)!.partner
}

/** Queries the database directly, across all partners. */
export async function lookUp<Row>({ app }: World, text: string): Promise<Row[]> {
  const { database } = app.context
  return transaction(database, { partners: '*', read_only: true }, async tx => {
    const { rows } = await tx.raw(text)
    return rows as Row[]
  })
}

/** Runs an operator's action in a transaction of the current process. */
export async function asOperator(world: World, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  await transaction(world.app.context.database, { partners: '*', actor: null }, work)
}
