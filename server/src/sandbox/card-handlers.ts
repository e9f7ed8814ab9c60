/** Handlers of the simulated card processor: actions of merchants and cardholders. */
import { type Selectable, sql } from 'kysely'
import { batched, type Call, type Handler } from '../context.ts'
import {
  type AuthorizationDecision,
  applyCardEvents,
  authorize,
  type EntryRow,
  entryView,
} from '../credit/cards/index.ts'
import type {
  AuthorizationRequest,
  CardNews,
  Purchase,
  TransactionNews,
} from '../integrations/ports/card-issuer.ts'
import type { DB } from '../platform/db/schema.ts'
import type { Tx } from '../platform/db/transaction.ts'
import { fromWire, toWire } from '../platform/kit/money.ts'
import { invalid, ProblemError, problem } from '../platform/kit/problem.ts'

type CardRow = Selectable<DB['cards']>

const NO_CATEGORY = 'unknown'

interface Sold {
  readonly merchant_name?: string | null | undefined
  readonly merchant_category?: string | null | undefined
  readonly merchant_amount?: number | null | undefined
  readonly merchant_currency?: string | null | undefined
}

function purchaseOf(sold: Sold, before?: EntryRow): Purchase {
  const { merchant_amount: amount } = sold
  return {
    merchant_name: sold.merchant_name ?? before?.merchant_name ?? 'Sandbox merchant',
    merchant_category: sold.merchant_category ?? before?.merchant_category ?? NO_CATEGORY,
    merchant_amount: amount ? fromWire(amount) : (before?.merchant_amount ?? null),
    merchant_currency: sold.merchant_currency ?? before?.merchant_currency ?? null,
  }
}

function decisionView({ amount, ...decision }: AuthorizationDecision) {
  return { ...decision, amount: toWire(amount) }
}

/** Decides concurrent authorizations in one transaction, so that they share locks and commit. */
const authorizeSandboxCard = batched<'authorizeSandboxCard'>({
  handleBatch: async (tx, calls) => {
    const cards = await findCards(
      tx,
      calls[0]!.call.caller.partner_id,
      calls.map(({ call }) => call.params.card_id),
    )
    const requests = calls.map(({ call }) =>
      authorizationRequestOf(tx, call, cards.get(call.params.card_id)),
    )
    const answers = await authorize(tx.as('processor'), requests)
    return answers.map(answer => (answer instanceof ProblemError ? answer : decisionView(answer)))
  },
})

function authorizationRequestOf(
  tx: Tx,
  { body }: Pick<Call<'authorizeSandboxCard'>, 'body'>,
  card: CardRow | undefined,
): AuthorizationRequest {
  const { amount, currency, allow_partial } = body
  return {
    // An unknown card has no id at the processor either.
    provider_card_id: card?.provider_card_id ?? '',
    authorization_ref: `iauth_${tx.newId()}`,
    held_before: 0n,
    amount: fromWire(amount),
    currency,
    allow_partial,
    purchase: purchaseOf(body),
  }
}

async function findCards(
  tx: Tx,
  partner_id: string,
  ids: readonly string[],
): Promise<Map<string, CardRow>> {
  const rows = await tx.all(sql<CardRow>`
    select * from cards where id = any(${ids}::uuid[]) and partner_id = ${partner_id}
      and issued_at is not null`)
  return new Map(rows.map(row => [row.id, row]))
}

type FoundEntry = EntryRow & { provider_card_id: string }

/** Reads a card entry for a change, after locking the partner and then the credit line. */
async function findEntry(tx: Tx, partner_id: string, id: string): Promise<FoundEntry> {
  const line = await tx.maybe(sql<{ borrower_id: string }>`
    select borrower_id from card_entries where id = ${id} and partner_id = ${partner_id}`)
  if (!line) throw problem('resource_unknown')
  await tx.run(sql`select from partners where id = ${partner_id} for no key update`)
  await tx.run(sql`
    select from credit_lines where borrower_id = ${line.borrower_id}
      and partner_id = ${partner_id} for no key update`)
  return tx.one(sql<FoundEntry>`
    select e.*, c.provider_card_id from card_entries e
    join cards c on c.partner_id = e.partner_id and c.id = e.card_id
    where e.partner_id = ${partner_id} and e.id = ${id}`)
}

type OfAuthorization = Pick<Call<'clearSandboxAuthorization'>, 'params' | 'caller'>

async function findAuthorization(tx: Tx, call: OfAuthorization) {
  const entry = await findEntry(tx, call.caller.partner_id, call.params.authorization_id)
  if (entry.authorization_ref === null) throw problem('resource_unknown')
  return entry
}

async function receive(tx: Tx, partner_id: string, news: CardNews[], entry_id?: string) {
  const [booked] = await applyCardEvents(tx.as('sandbox'), news)
  const id = booked ?? entry_id
  return entryView(
    await tx.one(sql<EntryRow>`
    select * from card_entries where partner_id = ${partner_id} and id = ${id}`),
  )
}

/**
 * An authorization can be cleared once, which closes it. Accepts the clearing of a reversed
 * authorization, as card networks do.
 */
const clearSandboxAuthorization: Handler<'clearSandboxAuthorization'> = async (tx, call) => {
  const entry = await findAuthorization(tx, call)
  if (entry.status === 'completed' || entry.status === 'declined') {
    throw problem('state_conflict', `The authorization is ${entry.status}: nothing is to clear.`)
  }
  const amount = call.body?.amount ? fromWire(call.body.amount) : entry.amount
  const { authorization_ref } = entry
  const transaction = transactionOf(tx, entry, 'payment', amount, {
    authorization_ref,
    purchase: purchaseOf(call.body ?? {}, entry),
  })
  return receive(tx, entry.partner_id, [transaction, { ...newsOf(tx, entry), state: 'closed' }])
}

function newsOf(tx: Tx, entry: FoundEntry) {
  return {
    kind: 'AUTHORIZATION' as const,
    provider_card_id: entry.provider_card_id,
    authorization_ref: entry.authorization_ref!,
    amount: entry.authorized,
    currency: entry.currency,
    rank: entry.news_rank + 1n,
    cleared: [],
    at: tx.now,
    purchase: purchaseOf({}, entry),
  }
}

function transactionOf(
  tx: Tx,
  { provider_card_id }: { provider_card_id: string },
  transaction_type: TransactionNews['transaction_type'],
  amount: bigint,
  more: Pick<TransactionNews, 'purchase'> & Partial<TransactionNews>,
): TransactionNews {
  return {
    kind: 'TRANSACTION',
    provider_card_id,
    transaction_type,
    amount,
    currency: 'EUR',
    at: tx.now,
    transaction_ref: `ipi_${tx.newId()}`,
    authorization_ref: null,
    disputed_ref: null,
    ...more,
  }
}

const incrementSandboxAuthorization: Handler<'incrementSandboxAuthorization'> = async (
  tx,
  call,
) => {
  const entry = await findAuthorization(tx, call)
  mustBeOpen(entry)
  const { provider_card_id, currency } = entry
  const [decision] = await authorize(tx.as('processor'), [
    {
      provider_card_id,
      currency,
      authorization_ref: entry.authorization_ref!,
      held_before: entry.authorized,
      allow_partial: false,
      amount: fromWire(call.body.amount),
      purchase: purchaseOf({}, entry),
    },
  ])
  if (decision instanceof ProblemError) throw decision
  return decisionView(decision!)
}

function mustBeOpen(entry: EntryRow): void {
  if (entry.status !== 'pending') {
    throw problem('state_conflict', `The authorization is ${entry.status}.`)
  }
}

const reverseSandboxAuthorization: Handler<'reverseSandboxAuthorization'> = async (tx, call) => {
  const entry = await findAuthorization(tx, call)
  mustBeOpen(entry)
  const amount = call.body?.amount ? fromWire(call.body.amount) : entry.authorized
  if (amount > entry.authorized) {
    throw invalid({ name: 'amount', reason: `is more than the ${entry.authorized} that are held` })
  }
  const left = entry.authorized - amount
  const state = left === 0n ? 'reversed' : 'open'
  await applyCardEvents(tx.as('sandbox'), [{ ...newsOf(tx, entry), amount: left, state }])
  const reason = null
  return { authorization_id: entry.id, approved: true, reason, amount: toWire(left) }
}

type OfCard = 'forcePostSandboxCard' | 'refundSandboxCard'

function ofCard(type: 'payment' | 'refund') {
  const handle: Handler<OfCard> = async (tx, { params, body, caller }) => {
    const card = (await findCards(tx, caller.partner_id, [params.card_id])).get(params.card_id)
    if (!card) throw problem('resource_unknown')
    const purchase = purchaseOf(body)
    const at = { provider_card_id: card.provider_card_id! }
    const news = transactionOf(tx, at, type, fromWire(body.amount), { purchase })
    return receive(tx, caller.partner_id, [news])
  }
  return handle
}

const disputeSandboxCardEntry: Handler<'disputeSandboxCardEntry'> = async (tx, call) => {
  const entry = await findEntry(tx, call.caller.partner_id, call.params.entry_id)
  if (entry.status !== 'completed' || entry.amount <= 0n) {
    throw problem('state_conflict', 'Only what was paid and is completed can be disputed.')
  }
  const { back } = await tx.one(sql<{ back: bigint }>`
    select coalesce(-sum(amount), 0)::bigint as back from card_entries
    where partner_id = ${entry.partner_id} and original_ref = ${entry.transaction_ref}
      and transaction_type = 'dispute'`)
  const amount = fromWire(call.body.amount)
  if (amount > entry.amount - back) {
    throw invalid({ name: 'amount', reason: `is more than the ${entry.amount - back} at stake` })
  }
  const purchase = purchaseOf({}, entry)
  const disputed_ref = entry.transaction_ref
  const news = transactionOf(tx, entry, 'dispute', amount, { purchase, disputed_ref })
  return receive(tx, entry.partner_id, [news])
}

export const sandboxCardHandlers = {
  authorizeSandboxCard,
  clearSandboxAuthorization,
  incrementSandboxAuthorization,
  reverseSandboxAuthorization,
  forcePostSandboxCard: ofCard('payment'),
  refundSandboxCard: ofCard('refund'),
  disputeSandboxCardEntry,
}
