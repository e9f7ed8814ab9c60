/** Carries out one call: its handler in one transaction, its answer kept for repeats. */
import type { Method, Operation, OperationId } from '@headroom/contract'
import type { Call, Conducted, Context, Inspected, Prepared } from '../../context.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import type { Scope } from '../../platform/db/turns.ts'
import { assert } from '../../platform/kit/assert.ts'
import { ProblemError, problem } from '../../platform/kit/problem.ts'
import { type Answered, type Render, replay } from './answered.ts'
import type { Gate } from './gate.ts'
import { gathererOf } from './gather.ts'
import { type Claim, findKept, type Kept, keepAnswers, takeClaims } from './idempotency.ts'

type AnyCall = Call<OperationId>
type Handle = (tx: Tx, call: AnyCall, context: Context, learnt: unknown) => Promise<unknown>
/** The forms of handler of `context.ts`, with the operation's types forgotten. */
export type RunnableHandler =
  | Handle
  | Inspected<OperationId>
  | Prepared<OperationId, unknown>
  | Conducted<OperationId>

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
  if (typeof handler === 'function') return inTransaction(route, call, around, handler)
  if ('conduct' in handler) return conductOnce(route, call, around, handler)
  if (!('prepare' in handler)) return inTransaction(route, call, around, handler.handle)
  const { claim, render, gate } = around
  if (handler.together && !gate) {
    const learnt = await handler.prepare(context, call)
    const gatherer = gathererOf(context, call.caller.partner_id, handler.together)
    return around.storing(() => gatherer.carryOut({ call, learnt, claim, render }))
  }
  const earlier = claim && (await lookUp(route, call, claim))
  if (earlier) return earlier
  const learnt = await handler.prepare(context, call)
  return inTransaction(route, call, around, handler.handle, learnt)
}

async function inTransaction(
  route: Route,
  call: AnyCall,
  { claim, render, gate, storing }: Around,
  handle: Handle,
  learnt?: unknown,
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
  { claim, render, gate }: Around,
  { conduct }: Conducted<OperationId>,
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
    let passed = gate === null
    const answered = render(
      await conduct(route.context, call, {
        keep: (tx, answer) => {
          if (claim) keep(tx, claim, render(answer))
          kept = true
        },
        takeStep: async tx => {
          const passage = await gate?.(tx)
          passed = true
          return {
            done: async answer => passage?.done(render(answer)),
            waitFor: async order_id => passage?.waitFor(order_id, claim),
          }
        },
      }),
    )
    assert(passed, 'a step and its effect are one transaction')
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
