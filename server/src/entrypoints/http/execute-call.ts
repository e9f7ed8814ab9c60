/**
 * Executes a call and stores its answer for repeats. Most handlers run in one transaction;
 * orchestrated ones open their own.
 */
import type { OperationId } from '@headroom/contract'
import { type Context, type OrchestratedHandler, requireValid } from '../../context.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import { perObject } from '../../platform/kit/per-object.ts'
import { ProblemError, problem } from '../../platform/kit/problem.ts'
import { batcherOf } from './batch-calls.ts'
import type { Gate } from './gate.ts'
import {
  findStoredAnswers,
  type IdempotencyClaim,
  lockClaims,
  type StoredAnswer,
  storeAnswers,
} from './idempotency.ts'
import { inListTurn } from './list-turns.ts'
import { type PreparedResponse, type Renderer, replay } from './prepared-response.ts'
import { type AnyCall, type MeantCall, type Route, scopeOf } from './route.ts'
import { validateRequest } from './validate-request.ts'

type Handle = (tx: Tx, call: MeantCall, context: Context, fetched: unknown) => Promise<unknown>

export interface RequestContext {
  readonly claim: IdempotencyClaim | null
  readonly renderer: Renderer
  readonly gate: Gate | null
  /** Runs a write in the turn of its body, if the body is large. */
  readonly storing: <T>(work: () => Promise<T>) => Promise<T>
}

/**
 * Runs the handler and returns the answer to send. Rethrows the handler's errors, which roll back
 * its transaction. A repeat of an answered request gets the stored answer, without running the
 * handler or passing the gate.
 */
export async function executeCall(
  route: Route,
  raw: AnyCall,
  around: RequestContext,
): Promise<PreparedResponse> {
  const { context, handler } = route
  const call = { ...raw, meaning: undefined }
  if (typeof handler === 'function') return inTransaction(route, call, around, handler)
  if ('orchestrate' in handler) return orchestrateOnce(route, call, around, handler)
  const { read, prepare, handleBatch, handle } = handler
  if (!read && !prepare && !handleBatch) return inTransaction(route, call, around, handle)
  const { claim, renderer, gate } = around
  const gathering = handleBatch && !gate
  const earlier = claim && !gathering && (await lookUp(route, call, claim))
  if (earlier) return earlier
  const meant = { ...call, meaning: await validateRequest(route, call) }
  const fetched = await prepare?.(context, meant)
  if (!gathering) return inTransaction(route, meant, around, handle, fetched)
  const gatherer = batcherOf(context, call.caller.partner_id, handleBatch)
  return around.storing(() => gatherer.carryOut({ call: meant, fetched, claim, renderer }))
}

async function inTransaction(
  route: Route,
  call: MeantCall,
  { claim, renderer, gate, storing }: RequestContext,
  handle: Handle,
  fetched?: unknown,
): Promise<PreparedResponse> {
  const { context, method } = route
  const scope = { ...scopeOf(route, call), read_only: method === 'GET' }
  const run = async (tx: Tx) => {
    const meaning = await checkedMeaning(route, tx, call)
    return handle(tx, { ...call, meaning }, context, fetched)
  }
  if (method === 'GET' && !claim && !gate) {
    return inListTurn(route, call, async () => {
      const returned = await transaction(context.database, scope, run)
      // The connection is released first, because writing a long page takes a while.
      return renderer.renderInPieces(returned)
    })
  }
  const inOne = async (tx: Tx) => {
    const stored = claim && orThrow((await lockClaims(tx, [claim])).get(claim))
    if (stored) return replay(stored)
    const passage = await gate?.(tx)
    const answered = renderer.render(await run(tx))
    await passage?.done(answered)
    if (claim) keep(tx, claim, answered)
    return answered
  }
  return storing(() => transaction(context.database, scope, inOne))
}

/** A request's parsed meaning, from the check in its transaction if there is one. */
async function checkedMeaning({ handler }: Route, tx: Tx, call: MeantCall): Promise<unknown> {
  const check = typeof handler === 'object' && 'handle' in handler && handler.check
  if (!check || handler.handleBatch) return call.meaning
  return requireValid(await check(tx, call, call.meaning))
}

/** Claims of running handlers that have no transaction to hold them, per service instance. */
const orchestratedIn = perObject((_: Context) => new Set<string>())

/**
 * Runs a handler that opens its own transactions. Its answer is stored after the work, so if the
 * process crashes in between, a repeat runs the work again. Where that matters, the handler stores
 * the answer together with its work or detects repeats itself.
 */
async function orchestrateOnce(
  route: Route,
  call: AnyCall,
  { claim, renderer, gate }: RequestContext,
  { orchestrate }: OrchestratedHandler<OperationId, unknown>,
): Promise<PreparedResponse> {
  const { method } = route
  const { database } = route.context
  const conducting = orchestratedIn(route.context)
  const name = claim && `${claim.partner_id} ${claim.key}`
  if (name !== null && conducting.has(name)) throw problem('request_running')
  if (name !== null) conducting.add(name)
  try {
    const earlier = claim && (await lookUp(route, call, claim))
    if (earlier) return earlier
    const meant = { ...call, meaning: await validateRequest(route, call) }
    if (method === 'GET' && !claim && !gate)
      return orchestrateRead(route, meant, renderer, orchestrate)
    let stored = false
    let passed = gate === null
    const answered = renderer.render(
      await orchestrate(route.context, meant, {
        keep: (tx, answer) => {
          if (claim) keep(tx, claim, renderer.render(answer))
          stored = true
        },
        takeStep: async tx => {
          const passage = await gate?.(tx)
          passed = true
          return {
            done: async answer => passage?.done(renderer.render(answer)),
            waitFor: async order_id => passage?.waitFor(order_id, claim),
          }
        },
      }),
    )
    assert(passed, 'a step and its effect are one transaction')
    if (claim && !stored) {
      await transaction(database, scopeOf(route, call), async tx => keep(tx, claim, answered))
    }
    return answered
  } finally {
    if (name !== null) conducting.delete(name)
  }
}

type Orchestrate = OrchestratedHandler<OperationId, unknown>['orchestrate']

const NOTHING_TO_COMMIT: Parameters<Orchestrate>[2] = {
  keep: () => {},
  takeStep: async () => ({ done: async () => {}, waitFor: async () => {} }),
}

/**
 * Runs a read that opens its own transactions. Only long lists take a turn: while a page is read
 * from an external system, other requests would wait for that system.
 */
function orchestrateRead(
  route: Route,
  call: MeantCall,
  renderer: Renderer,
  orchestrate: Orchestrate,
): Promise<PreparedResponse> {
  const read = async () =>
    renderer.renderInPieces(await orchestrate(route.context, call, NOTHING_TO_COMMIT))
  return route.operation.long_lists ? inListTurn(route, call, read) : read()
}

async function lookUp(
  route: Route,
  call: AnyCall,
  claim: IdempotencyClaim,
): Promise<PreparedResponse | null> {
  const scope = { ...scopeOf(route, call), read_only: true }
  const stored = await transaction(route.context.database, scope, tx =>
    findStoredAnswers(tx, [claim]),
  )
  const known = orThrow(stored.get(claim))
  return known && replay(known)
}

function keep(tx: Tx, claim: IdempotencyClaim, { status, payload, body }: PreparedResponse): void {
  const json = payload === null ? null : String(payload)
  storeAnswers(tx, [{ claim, stored: { status, json }, answer: body }])
}

function orThrow(known: StoredAnswer | ProblemError | undefined): StoredAnswer | null {
  if (known instanceof ProblemError) throw known
  return known ?? null
}
