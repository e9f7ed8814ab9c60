/** Carries out one call: its handler in one transaction, its answer kept for repeats. */
import type { Method, Operation, OperationId } from '@headroom/contract'
import type { Call, Context, Inspect, KeepAnswer, Taken } from '../../context.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import type { Scope } from '../../platform/db/turns.ts'
import { assert } from '../../platform/kit/assert.ts'
import { ProblemError, problem } from '../../platform/kit/problem.ts'
import { type Answered, type Render, replay } from './answered.ts'
import type { Gate } from './gate.ts'
import { createGatherer, type Gatherer, type GatherStage } from './gather.ts'
import { type Claim, findKept, type Kept, keepAnswers, takeClaims } from './idempotency.ts'

/** The forms of handler of `context.ts`, with the operation's types forgotten. */
type AnyCall = Call<OperationId>
type Handle = (tx: Tx, call: AnyCall, context: Context, learnt: unknown) => Promise<unknown>
type Stage = (context: Context, call: AnyCall) => Promise<unknown>
type Conduct = (context: Context, call: AnyCall, keep: KeepAnswer<unknown>) => Promise<unknown>
type TakeOrder = (
  tx: Tx,
  call: AnyCall,
  context: Context,
) => Promise<Taken | { readonly answer: unknown }>
type Finish = (context: Context, call: AnyCall, taken: Taken) => Promise<unknown>
type Inspecting = { readonly inspect?: Inspect<OperationId> }
export type RunnableHandler =
  | Handle
  | (Inspecting & { readonly handle: Handle })
  | (Inspecting & { readonly conduct: Conduct })
  | (Inspecting & { readonly order: TakeOrder; readonly finish: Finish })
  | (Inspecting & { readonly prepare: Stage; readonly gather: GatherStage })
  | (Inspecting & { readonly prepare: Stage; readonly handle: Handle })

export interface Route {
  readonly context: Context
  readonly operation: Operation
  readonly method: Method
  readonly handler: RunnableHandler
}

/** What a request brings along beside what it asks for. */
export interface Around {
  readonly claim: Claim | null
  readonly render: Render
  readonly gate: Gate | null
  /** Writes in the turn of its body, if that is a large one. */
  readonly storing: <T>(work: () => Promise<T>) => Promise<T>
}

/**
 * Runs the handler and answers what to send. Throws whatever the handler throws; nothing is
 * written then. A repeat of a kept request runs nothing, and passes no gate.
 */
export async function carryOut(route: Route, call: AnyCall, around: Around): Promise<Answered> {
  const { context, handler } = route
  const { claim, render, gate } = around
  if ('conduct' in handler) {
    assert(!gate, 'a step and its effect are one transaction')
    return conductOnce(route, call, claim, render, handler.conduct)
  }
  if ('order' in handler) {
    const conduct: Conduct = () => seeThrough(route, call, around, handler)
    return conductOnce(route, call, claim, render, conduct)
  }
  if ('gather' in handler && !gate) {
    const learnt = await handler.prepare(context, call)
    const gatherer = gathererOf(context, call.caller.partner_id, handler)
    return around.storing(() => gatherer.carryOut({ call, learnt, claim, render }))
  }
  if (!('prepare' in handler)) {
    const handle = 'handle' in handler ? handler.handle : handler
    return inTransaction(route, call, around, handle, undefined)
  }

  const earlier = claim && (await lookUp(route, call, claim))
  if (earlier) return earlier
  const learnt = await handler.prepare(context, call)
  const handle = 'gather' in handler ? alone(handler.gather) : handler.handle
  return inTransaction(route, call, around, handle, learnt)
}

/** One call of a gathered operation by itself: what refuses it rolls its transaction back. */
function alone(gather: GatherStage): Handle {
  return async (tx, call, context, learnt) => {
    const [outcome] = await gather(tx, [{ call, learnt }], context)
    if (outcome instanceof ProblemError) throw outcome
    return outcome
  }
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
  { claim, render, gate, storing }: Around,
  handle: Handle,
  learnt: unknown,
): Promise<Answered> {
  const { context, method } = route
  const scope = { ...scopeOf(route, call), read_only: method === 'GET' }
  const inOne = async (tx: Tx) => {
    const kept = claim && orThrow((await takeClaims(tx, [claim])).get(claim))
    if (kept) return replay(kept)
    const passage = await gate?.(tx)
    const answered = render(await handle(tx, call, context, learnt))
    await passage?.done(answered)
    if (claim) keep(tx, claim, answered)
    return answered
  }
  return storing(() => transaction(context.database, scope, inOne))
}

/** Takes the order, for which the step then waits, and sees it through. */
async function seeThrough(
  route: Route,
  call: AnyCall,
  { claim, render, gate }: Around,
  { order, finish }: { readonly order: TakeOrder; readonly finish: Finish },
): Promise<unknown> {
  const { context } = route
  const taken = await transaction(context.database, scopeOf(route, call), async tx => {
    const passage = await gate?.(tx)
    const taken = await order(tx, call, context)
    if ('answer' in taken) await passage?.done(render(taken.answer))
    else await passage?.waitFor(taken.order_id, claim)
    return taken
  })
  return 'answer' in taken ? taken.answer : finish(context, call, taken)
}

/** Claims of handlers that are at work in a house and have no transaction to hold them. */
const conductingIn = new WeakMap<Context, Set<string>>()

/**
 * A handler that opens its own transactions: its answer is kept after its work, unless it keeps it
 * with its work. A crash between lets a repeat do the work again: where that matters a handler
 * keeps its answer itself, or tells its repeats apart.
 */
async function conductOnce(
  route: Route,
  call: AnyCall,
  claim: Claim | null,
  render: Render,
  conduct: Conduct,
): Promise<Answered> {
  const { database } = route.context
  const conducting = conductingIn.get(route.context) ?? new Set<string>()
  conductingIn.set(route.context, conducting)
  const name = claim && `${claim.partner_id} ${claim.key}`
  if (name !== null && conducting.has(name)) throw problem('request_running')
  if (name !== null) conducting.add(name)
  try {
    const earlier = claim && (await lookUp(route, call, claim))
    if (earlier) return earlier
    let kept = false
    const keepNow = (tx: Tx, returned: unknown) => {
      if (claim) keep(tx, claim, render(returned))
      kept = true
    }
    const answered = render(await conduct(route.context, call, keepNow))
    if (claim && !kept) {
      await transaction(database, scopeOf(route, call), async tx => keep(tx, claim, answered))
    }
    return answered
  } finally {
    if (name !== null) conducting.delete(name)
  }
}

async function lookUp(route: Route, call: AnyCall, claim: Claim): Promise<Answered | null> {
  const scope = { ...scopeOf(route, call), read_only: true }
  const kept = await transaction(route.context.database, scope, tx => findKept(tx, [claim]))
  const known = orThrow(kept.get(claim))
  return known && replay(known)
}

/** Without a key nobody is known; such operations guard their own doors. */
function scopeOf({ operation }: Route, call: AnyCall): Scope {
  if (operation.scope !== null) return { partners: [call.caller.partner_id] }
  return { partners: '*' }
}

function keep(tx: Tx, claim: Claim, { status, payload, body }: Answered): void {
  const json = payload === null ? null : String(payload)
  keepAnswers(tx, [{ claim, kept: { status, json }, answer: body }])
}

/** What is known of a claim, when that is no problem. */
function orThrow(known: Kept | ProblemError | undefined): Kept | null {
  if (known instanceof ProblemError) throw known
  return known ?? null
}
