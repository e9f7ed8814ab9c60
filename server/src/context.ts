/** What a handler is given: the running house, and one call of an operation. */
import type { OperationId, operations } from '@headroom/contract'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Caller } from './access/caller.ts'
import type { Config } from './config.ts'
import type { Database, Tx } from './db/transaction.ts'
import type { JobQueue } from './jobs/index.ts'
import type { InvalidParam, ProblemError } from './kit/problem.ts'
import type { Bank } from './ports/bank.ts'
import type { MailPort } from './ports/mail.ts'
import type { Compliance, Registry } from './ports/registry.ts'

export interface Ports {
  readonly bank: Bank
  readonly registry: Registry
  readonly compliance: Compliance
  readonly mail: MailPort
}

export interface Worker {
  /** There may be something to do. */
  wake(): void
  /** Works until no job is ready and every event has its place; answers how many jobs ran. */
  drain(): Promise<number>
  start(): void
  stop(): Promise<void>
}

export interface Context {
  readonly config: Config
  readonly database: Database
  readonly queue: JobQueue
  readonly ports: Ports
  readonly worker: Worker
  /** Aborted when the process is to end: what would go on for long stops where it may. */
  readonly stopping: AbortController
  readonly log: Logger
}

type Operations = typeof operations
type Read<O, K extends string> = O extends { [P in K]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined

/** One call: what came in, parsed by the contract's schemas, and who calls. */
export interface Call<N extends OperationId> {
  readonly params: Read<Operations[N], 'params'>
  readonly query: Read<Operations[N], 'query'>
  readonly body: Read<Operations[N], 'body'>
  readonly caller: Caller
  readonly request_id: string
  /** The address of a list without its cursor, for `next_page`. */
  readonly path: string
}

/** An answer that is not simply the operation's success: another status, headers, or a file. */
export class Reply<Body = unknown> {
  readonly body: Body
  readonly status: number | null
  readonly headers: Record<string, string>

  constructor(body: Body, options: { status?: number; headers?: Record<string, string> } = {}) {
    this.body = body
    this.status = options.status ?? null
    this.headers = options.headers ?? {}
  }
}

type Answer<N extends OperationId> = z.input<Operations[N]['answer']>

/**
 * Serves one operation inside the transaction that the route opened. Throws a problem to refuse;
 * everything it wrote is then rolled back.
 */
export type Handler<N extends OperationId> = (
  tx: Tx,
  call: Call<N>,
  context: Context,
) => Promise<Answer<N> | Reply<Answer<N> | Buffer>>

/**
 * A handler whose work needs no surrounding transaction of the route: it opens its own, step by
 * step (moving the clock), or must ask the outside before it writes.
 */
export interface Conducted<N extends OperationId> {
  readonly conduct: (context: Context, call: Call<N>) => Promise<Answer<N> | Reply<Answer<N>>>
}

/**
 * Looks at a request that its schema has refused already, for faults that a schema cannot see: all
 * are then told at once. Fields of `body` may be anything.
 */
export type Inspect = (
  context: Context,
  caller: Caller,
  body: Record<string, unknown>,
) => Promise<readonly InvalidParam[]>

/** Before the transaction: asks the outside, and hands what it learnt to the handler. */
export interface Prepared<N extends OperationId, Learnt> {
  readonly inspect?: Inspect
  readonly prepare: (context: Context, call: Call<N>) => Promise<Learnt>
  readonly handle: (
    tx: Tx,
    call: Call<N>,
    context: Context,
    learnt: Learnt,
  ) => Promise<Answer<N> | Reply<Answer<N>>>
}

/**
 * Calls that come in together are carried out together, in one transaction with statements that
 * serve all of them. A problem is an outcome: what it refuses must have written nothing.
 */
export interface Gathered<N extends OperationId, Learnt> {
  readonly inspect?: Inspect
  readonly prepare: (context: Context, call: Call<N>) => Promise<Learnt>
  readonly gather: (
    tx: Tx,
    calls: readonly { readonly call: Call<N>; readonly learnt: Learnt }[],
    context: Context,
  ) => Promise<(Answer<N> | Reply<Answer<N>> | ProblemError)[]>
}

export type AnyHandler<N extends OperationId> =
  | Handler<N>
  | Conducted<N>
  // biome-ignore lint/suspicious/noExplicitAny: what a room learns is its own affair
  | Prepared<N, any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  | Gathered<N, any>

/** One handler for every operation: a missing one does not compile. */
export type Handlers = { readonly [N in OperationId]: AnyHandler<N> }
