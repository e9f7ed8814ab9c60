/** Orders a new card. */
import type { CardConstraints } from '@headroom/contract'
import { sql } from 'kysely'
import { type BorrowerRow, findBorrower } from '../../companies/borrowers/index.ts'
import type { CardIssuer } from '../../integrations/ports/card-issuer.ts'
import type { Caller } from '../../platform/access/index.ts'
import { initialStatus } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { invalid, problem } from '../../platform/kit/problem.ts'
import { createIssuerOrder } from './create-issuer-order.ts'
import { type CardholderInput, holderOf } from './holder.ts'
import { insertCard } from './store.ts'

export interface NewCard extends CardholderInput {
  readonly borrower_id: string
  readonly constraints: CardConstraints
  /** The request's Idempotency-Key, if any. */
  readonly request_key: string | null
}

export interface CardOrder {
  readonly card_id: string
  readonly order_id: string | null
}

const UNUSABLE = ['BLOCKED', 'DEACTIVATED', 'PROHIBITED']

/**
 * Stores a new card with its order, or finds those of the same request. The processor is called
 * after the commit. Throws `resource_unknown`, `state_conflict`, or `request_invalid` naming the
 * data that the processor lacks.
 */
export async function takeCardOrder(
  tx: Tx,
  caller: Caller,
  input: NewCard,
  issuer: CardIssuer,
): Promise<CardOrder> {
  const { partner_id } = caller
  if (issuer.processor === 'none') {
    throw problem('state_conflict', 'This deployment issues no cards. Ask the lender.')
  }
  const borrower = await findBorrower(tx, partner_id, input.borrower_id)
  if (!borrower) throw problem('resource_unknown', `There is no borrower ${input.borrower_id}.`)
  return (
    (await findIssued(tx, partner_id, input.request_key)) ??
    (await orderCard(tx, caller, borrower, input, issuer))
  )
}

/** Finds the card of the same request, for example one repeated after a crash. */
async function findIssued(
  tx: Tx,
  partner_id: string,
  request_key: string | null,
): Promise<CardOrder | undefined> {
  if (request_key === null) return undefined
  return tx.maybe(sql<CardOrder>`
    select o.id as order_id, c.id as card_id from cards c
    join card_orders o on o.partner_id = c.partner_id and o.card_id = c.id and o.kind = 'issue'
    where c.partner_id = ${partner_id} and c.request_key = ${request_key}`)
}

async function orderCard(
  tx: Tx,
  caller: Caller,
  borrower: BorrowerRow,
  input: NewCard,
  issuer: CardIssuer,
): Promise<CardOrder> {
  const { partner_id, caller_id } = caller
  if (UNUSABLE.includes(borrower.status)) {
    throw problem('state_conflict', `The borrower is ${borrower.status}.`)
  }
  const line = await tx.maybe(sql<{ id: string }>`
    select id from credit_lines where borrower_id = ${borrower.id} and partner_id = ${partner_id}
      and closed_at is null`)
  if (!line) throw problem('state_conflict', 'The borrower has no credit line that it could spend.')
  const id = tx.newId()
  const { constraints } = input
  const to_issue = { card_id: id, partner_id, holder: holderOf(borrower, input), constraints }
  const missing = issuer.missing(to_issue)
  if (missing.length > 0) throw invalid(missing)
  await insertCard(tx, {
    id,
    partner_id,
    borrower_id: borrower.id,
    credit_line_id: line.id,
    caller_id,
    first_name: input.first_name,
    last_name: input.last_name,
    card_type: 'virtual',
    currency: 'EUR',
    constraints: constraints as never,
    status: initialStatus('card', []).status,
    processor: issuer.processor,
    request_key: input.request_key,
    created_at: tx.now,
  })
  const card = { id, partner_id }
  return {
    card_id: id,
    order_id: await createIssuerOrder(tx, card, { kind: 'issue', to_issue }),
  }
}
