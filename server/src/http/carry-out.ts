/** Carries out one call: its handler in one transaction, its answer kept for repeats. */
import type { Method, Operation, OperationId } from '@headroom/contract'
import type { Call, Context, Inspect } from '../context.ts'
import { type Tx, transaction } from '../db/transaction.ts'
import { ProblemError, problem } from '../kit/problem.ts'
import { type Answered, type Render, replay } from './answered.ts'
import { createGatherer, type Gatherer, type GatherStage } from './gather.ts'
import { type Claim, findKept, type Kept, keepAnswers, takeClaims } from './idempotency.ts'

/** The forms of handler of `context.ts`, with the operation's types forgotten. */
type AnyCall = Call<OperationId>
type Handle = (tx: Tx, call: AnyCall, context: Context, learnt: unknown) => Promise<unknown>
type Stage = (context: Context, call: AnyCall) => Promise<unknown>
export type RunnableHandler =
  | Handle
  | { readonly conduct: Stage }
  | { readonly inspect?: Inspect; readonly prepare: Stage; readonly gather: GatherStage }
  | { readonly prepare: Stage; readonly handle: Handle }

export interface Route {
  readonly context: Context
  readonly operation: Operation
  readonly method: Method
  readonly handler: RunnableHandler
}

/**
 * Runs the handler and answers what to send. Throws whatever the handler throws; nothing is
 * written then. A repeat of a kept request runs nothing.
 */
export async function carryOut(
  route: Route,
  call: AnyCall,
  claim: Claim | null,
  render: Render,
): Promise<Answered> {
  const { context, handler } = route
  if ('conduct' in handler) {
    return conductOnce(route, call, claim, async () => render(await handler.conduct(context, call)))
  }
  if ('gather' in handler) {
    const learnt = await handler.prepare(context, call)
    return gathererOf(context, call.caller.partner_id, handler).carryOut({
      call,
      learnt,
      claim,
      render,
    })
  }
  if (!('handle' in handler)) return inTransaction(route, call, claim, render, handler, undefined)

  const earlier = claim && (await lookUp(route, call, claim))
  if (earlier) return earlier
  const learnt = await handler.prepare(context, call)
  return inTransaction(route, call, claim, render, handler.handle, learnt)
}

type GatheredHandler = Extract<RunnableHandler, { readonly gather: GatherStage }>

/** One for each gathered operation and partner of a running house. */
const gatherers = new WeakMap<Context, WeakMap<GatheredHandler, Map<string, Gatherer>>>()

function gathererOf(context: Context, partner_id: string, handler: GatheredHandler): Gatherer {
  const own = gatherers.get(context) ?? new WeakMap<GatheredHandler, Map<string, Gatherer>>()
  gatherers.set(context, own)
  const byPartner = own.get(handler) ?? new Map<string, Gatherer>()
  own.set(handler, byPartner)
  const gatherer = byPartner.get(partner_id) ?? createGatherer(context, partner_id, handler.gather)
  byPartner.set(partner_id, gatherer)
  return gatherer
}

async function inTransaction(
  route: Route,
  call: AnyCall,
  claim: Claim | null,
  render: Render,
  handle: Handle,
  learnt: unknown,
): Promise<Answered> {
  const { context, method } = route
  const scope = { partners: partnersOf(route, call), read_only: method === 'GET' }
  return transaction(context.database, scope, async tx => {
    const kept = claim && orThrow((await takeClaims(tx, [claim])).get(claim))
    if (kept) return replay(kept)
    const answered = render(await handle(tx, call, context, learnt))
    if (claim) await keep(tx, claim, answered)
    return answered
  })
}

/** Claims of handlers that are at work in this process and have no transaction to hold them. */
const conducting = new Set<string>()

/**
 * A handler that opens its own transactions: its answer is kept after its work. A crash between
 * lets a repeat do the work again, so such handlers tell their own repeats apart where it matters.
 */
async function conductOnce(
  route: Route,
  call: AnyCall,
  claim: Claim | null,
  conduct: () => Promise<Answered>,
): Promise<Answered> {
  const { database } = route.context
  const name = claim && `${claim.partner_id} ${claim.key}`
  if (name !== null && conducting.has(name)) throw problem('request_running')
  if (name !== null) conducting.add(name)
  try {
    const earlier = claim && (await lookUp(route, call, claim))
    if (earlier) return earlier
    const answered = await conduct()
    if (claim) {
      await transaction(database, { partners: partnersOf(route, call) }, tx =>
        keep(tx, claim, answered),
      )
    }
    return answered
  } finally {
    if (name !== null) conducting.delete(name)
  }
}

async function lookUp(route: Route, call: AnyCall, claim: Claim): Promise<Answered | null> {
  const scope = { partners: partnersOf(route, call), read_only: true }
  const kept = await transaction(route.context.database, scope, tx => findKept(tx, [claim]))
  const known = orThrow(kept.get(claim))
  return known && replay(known)
}

/** Without a key nobody is known; such operations guard their own doors. */
function partnersOf({ operation }: Route, { caller }: AnyCall): string[] | '*' {
  return operation.scope === null ? '*' : [caller.partner_id]
}

function keep(tx: Tx, claim: Claim, { status, payload, body }: Answered): Promise<void> {
  const json = payload === null ? null : String(payload)
  return keepAnswers(tx, [{ claim, kept: { status, json }, answer: body }])
}

/** What is known of a claim, when that is no problem. */
function orThrow(known: Kept | ProblemError | undefined): Kept | null {
  if (known instanceof ProblemError) throw known
  return known ?? null
}
