/** What deeds choose from: the borrowers, loans and things of a world, and the keys of writes. */
import type { Answer } from '@headroom/contract'
import type { Client } from '@headroom/sdk'
import { type Tx, transaction } from '../../../server/src/platform/db/transaction.ts'
import { type Day, day } from '../../../server/src/platform/kit/dates.ts'
import type { Borrower, Promised, World } from '../world.ts'

export type Loan = Answer<'getLoan'>

/** Looks at the world and chooses what to write; null when there is nothing to do. */
export type Deed = (world: World) => Promise<Promised | null>

export async function today(client: Client): Promise<Day> {
  return day((await client.getSandboxClock()).business_date.slice(0, 10))
}

/** Sent again after a crash, the same write is known by it. */
export function key(): { idempotency_key: string } {
  return { idempotency_key: crypto.randomUUID() }
}

/** One of these, or null where there is none. */
export function some<T>({ random }: World, things: readonly T[]): T | null {
  return things.length > 0 ? random.pick(things) : null
}

export function someBorrower(world: World): Borrower | null {
  return some(world, world.borrowers)
}

/** One of the loans that partners asked for, as it is now; null when its status is another. */
export async function someLoan(
  world: World,
  statuses: readonly Loan['status'][] = [],
): Promise<Loan | null> {
  const known = some(world, world.loans)
  if (!known) return null
  const loan = await world.house.clients[known.partner]!.getLoan({ loan_id: known.id })
  return statuses.length === 0 || statuses.includes(loan.status) ? loan : null
}

export function partnerOf({ loans }: World, loan: { readonly id: string }): number {
  return loans.find(one => one.id === loan.id)!.partner
}

/** What somebody looks up past the interface, as the lender's people do. */
export async function lookUp<Row>({ house }: World, text: string): Promise<Row[]> {
  const { database } = house.context
  return transaction(database, { partners: '*', read_only: true }, async tx => {
    const { rows } = await tx.raw(text)
    return rows as Row[]
  })
}

/** What one of the lender's people does, in the house as it is by then. */
export async function atDesk(world: World, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  await transaction(world.house.context.database, { partners: '*' }, work)
}
