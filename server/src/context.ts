/** What a handler is given: the running house, and one call of an operation. */
import type { Readable } from 'node:stream'
import type {
  AdminAnswerInput,
  AdminBody,
  AdminOperationId,
  AdminParams,
  AdminQuery,
  adminOperations,
  OperationId,
  operations,
} from '@headroom/contract'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Config } from './config.ts'
import type { Bank } from './outside/ports/bank.ts'
import type { CardIssuer } from './outside/ports/card-issuer.ts'
import type { MailPort } from './outside/ports/mail.ts'
import type { Compliance, Registry } from './outside/ports/registry.ts'
import type { Caller } from './platform/access/caller.ts'
import type { SignedIn } from './platform/access/sessions.ts'
import type { Database, Tx } from './platform/db/transaction.ts'
import type { JobQueue } from './platform/jobs/index.ts'
import type { InvalidParam, ProblemError } from './platform/kit/problem.ts'
import type { WellFormed } from './platform/kit/well-formed.ts'

export interface Ports {
  readonly bank: Bank
  readonly cards: CardIssuer
  readonly registry: Registry
  readonly compliance: Compliance
  readonly mail: MailPort
}

export interface Worker {
  /** A transaction has left this to do. */
  wake(pending: Pick<Tx['pending'], 'events' | 'jobs'>): void
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
  /** The Idempotency-Key it came with. */
  readonly idempotency_key: string | null
  /** The address of a list without its cursor, for `next_page`. */
  readonly path: string
}

/** An answer that is not simply the operation's success: another status, headers, or a file. */
export class Reply<Body = unknown> {
  readonly body: Body
  readonly status: number | null
  readonly headers: Record<string, string | string[]>

  constructor(
    body: Body,
    options: { status?: number; headers?: Record<string, string | string[]> } = {},
  ) {
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
) => Promise<Answer<N> | Reply<Answer<N> | Buffer | Readable>>

/**
 * A handler whose work needs no surrounding transaction of the route: it opens its own, step by
 * step (moving the clock), or must ask the outside before it writes.
 */
export interface Conducted<N extends OperationId> {
  readonly inspect?: Inspect<N>
  readonly conduct: (
    context: Context,
    call: Call<N>,
    keep: KeepAnswer<Answer<N>>,
  ) => Promise<Answer<N> | Reply<Answer<N> | Buffer | Readable>>
}

/** An order to the outside that was taken for a request, and the id of what it is about. */
export interface Taken {
  readonly order_id: string
  readonly thing_id: string
}

/**
 * A handler whose effect is outside: it takes an order in a transaction, and sees it through after
 * that, as a job would if the process died. Under a decision the step waits for the order and is
 * executed with what comes of it (the fact `card_order_answered`), or stays open.
 */
export interface Ordered<N extends OperationId> {
  readonly inspect?: Inspect<N>
  /** Answers at once where nothing is to be asked. */
  readonly order: (
    tx: Tx,
    call: Call<N>,
    context: Context,
  ) => Promise<Taken | { readonly answer: Answer<N> }>
  /** Throws when it was refused, and when nobody knows yet: the order then stands. */
  readonly finish: (context: Context, call: Call<N>, taken: Taken) => Promise<Answer<N>>
}

/**
 * Keeps the answer for repeats in the transaction that does the work, for work that must not be
 * done again when the process dies before it has answered. Otherwise it is kept afterwards.
 */
export type KeepAnswer<A> = (tx: Tx, answer: A) => void

/** A request with holes: of path, query and body, what is well-formed by itself. */
export interface Look<N extends OperationId> {
  readonly params: WellFormed<Call<N>['params']>
  readonly query: WellFormed<Call<N>['query']>
  readonly body: WellFormed<Call<N>['body']>
  readonly caller: Caller
  /** Names of the faults that are known: what is dear to look at need not be looked at twice. */
  readonly told: ReadonlySet<string>
}

/**
 * Finds whatever is wrong with a refused request beside what its schema says: rules across fields,
 * numbers that are none, what is named and does not exist. It is asked whenever a request is
 * `request_invalid`, so schema and handler may each stop at what they see first: one answer tells
 * all. Writes nothing; where a rule needs a field that is a hole, it is silent.
 */
export type Inspect<N extends OperationId> = (
  context: Context,
  look: Look<N>,
) => Promise<readonly InvalidParam[]>

/** A handler in the route's transaction that has rules which its schema cannot see. */
export interface Inspected<N extends OperationId> {
  readonly inspect: Inspect<N>
  readonly handle: Handler<N>
}

/** Before the transaction: asks the outside, and hands what it learnt to the handler. */
export interface Prepared<N extends OperationId, Learnt> {
  readonly inspect?: Inspect<N>
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
  readonly inspect?: Inspect<N>
  readonly prepare: (context: Context, call: Call<N>) => Promise<Learnt>
  readonly gather: (
    tx: Tx,
    calls: readonly { readonly call: Call<N>; readonly learnt: Learnt }[],
    context: Context,
  ) => Promise<(Answer<N> | Reply<Answer<N>> | ProblemError)[]>
}

export type AnyHandler<N extends OperationId> =
  | Handler<N>
  | Inspected<N>
  | Conducted<N>
  | Ordered<N>
  // biome-ignore lint/suspicious/noExplicitAny: what a room learns is its own affair
  | Prepared<N, any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  | Gathered<N, any>

/** One handler for every operation: a missing one does not compile. */
export type Handlers = { readonly [N in OperationId]: AnyHandler<N> }

/** Nobody has signed in where an operation asks for nothing. */
type PersonOf<N extends AdminOperationId> = (typeof adminOperations)[N]['asks'] extends 'nothing'
  ? null
  : SignedIn

/** One call of the back office. */
export interface AdminCall<N extends AdminOperationId> {
  readonly params: AdminParams<N>
  readonly query: AdminQuery<N>
  readonly body: AdminBody<N>
  readonly person: PersonOf<N>
  /** The address that the request came from. */
  readonly address: string
  /** The Cookie header, as it came. */
  readonly cookies: string | undefined
  readonly request_id: string
  /** The address of a list without its cursor, for `next_page`. */
  readonly path: string
}

type AdminAnswered<N extends AdminOperationId> =
  | AdminAnswerInput<N>
  | Reply<AdminAnswerInput<N> | Buffer | Readable>

/** Serves an operation of the back office, over the worlds of all partners. */
export type AdminHandler<N extends AdminOperationId> = (
  tx: Tx,
  call: AdminCall<N>,
  context: Context,
) => Promise<AdminAnswered<N>>

/** One that has rules which its schema cannot see; it is asked as `Inspect` says. */
export interface AdminInspected<N extends AdminOperationId> {
  readonly inspect: (context: Context, look: AdminLook<N>) => Promise<readonly InvalidParam[]>
  readonly handle: AdminHandler<N>
}

/** A request of the back office with holes. */
export interface AdminLook<N extends AdminOperationId> {
  readonly params: WellFormed<AdminParams<N>>
  readonly query: WellFormed<AdminQuery<N>>
  readonly body: WellFormed<AdminBody<N>>
}

/** One that opens transactions of its own. */
export interface AdminConducted<N extends AdminOperationId> {
  readonly conduct: (context: Context, call: AdminCall<N>) => Promise<AdminAnswered<N>>
}

/** One handler for every operation of the back office: a missing one does not compile. */
export type AdminHandlers = {
  readonly [N in AdminOperationId]: AdminHandler<N> | AdminInspected<N> | AdminConducted<N>
}
