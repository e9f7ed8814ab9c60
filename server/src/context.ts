/** The types that handlers share: the app's context, a call, and the three forms of handler. */
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
import type { Bank } from './integrations/ports/bank.ts'
import type { CardIssuer } from './integrations/ports/card-issuer.ts'
import type { MailPort } from './integrations/ports/mail.ts'
import type { Compliance, Registry } from './integrations/ports/registry.ts'
import type { Caller } from './platform/access/caller.ts'
import type { SignedIn } from './platform/access/sessions.ts'
import type { Database, Tx } from './platform/db/transaction.ts'
import type { JobQueue } from './platform/jobs/index.ts'
import { type InvalidParam, invalid, ProblemError, problem } from './platform/kit/problem.ts'
import type { WellFormed } from './platform/kit/well-formed.ts'

export interface Ports {
  readonly bank: Bank
  readonly cards: CardIssuer
  readonly registry: Registry
  readonly compliance: Compliance
  readonly mail: MailPort
}

export interface Worker {
  /** Starts processing the events and jobs of a committed transaction. */
  wake(pending: Pick<Tx['pending'], 'events' | 'jobs'>): void
  /**
   * Runs the jobs caused before this call and those that they enqueue, then places events in the
   * feed. Does not wait for work caused later. Returns the number of jobs run.
   */
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
  /** Aborted when the process shuts down, so that long work can stop early. */
  readonly stopping: AbortController
  readonly log: Logger
}

type Operations = typeof operations
type Read<O, K extends string> = O extends { [P in K]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined

export interface Call<N extends OperationId> {
  readonly params: Read<Operations[N], 'params'>
  readonly query: Read<Operations[N], 'query'>
  readonly body: Read<Operations[N], 'body'>
  readonly caller: Caller
  readonly request_id: string
  readonly idempotency_key: string | null
  /** The URL of a list without its cursor, for `next_page`. */
  readonly path: string
}

/** A response that differs from the operation's default: another status, headers, or a file. */
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

/** The well-formed part of a request, with undefined in place of malformed values. */
type Partially<C extends AnyInput> = Pick<C, Extract<keyof C, 'caller'>> & {
  readonly params: WellFormed<C['params']>
  readonly query: WellFormed<C['query']>
  readonly body: WellFormed<C['body']>
}

interface AnyInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** The result of validation beyond the schema: all faults, or the parsed meaning. */
export interface Validation<Meaning = undefined> {
  readonly faults: readonly InvalidParam[]
  /**
   * Passed to the handler. Null if there are faults or the resource in the path is missing (404).
   */
  readonly meaning?: Meaning | null
}

/** Returns the meaning. Throws `request_invalid` for faults, `resource_unknown` if it is null. */
export function requireValid<Meaning>({ faults, meaning }: Validation<Meaning>): Meaning {
  if (faults.length > 0) throw invalid(faults)
  if (meaning === null) throw problem('resource_unknown')
  return meaning as Meaning
}

/**
 * Rules that a schema cannot express: relations between fields, check digits, references that must
 * exist. The functions also run on requests that the schema rejects, so that one response lists all
 * faults; a rule whose field is missing is skipped. They must not write.
 */
interface Rules<C extends AnyInput, Read, Meaning> {
  /** Runs before the transaction, for rules that call external systems or are slow to compute. */
  readonly read?: (context: Context, look: Partially<C>) => Awaitable<Validation<Read>>
  /** Runs in the handler's transaction, or in its own if the request is already rejected. */
  readonly check?: (tx: Tx, look: Partially<C>, read: Read | null) => Awaitable<Validation<Meaning>>
}

type Awaitable<T> = T | Promise<T>
type WithMeaning<C, Meaning> = C & { readonly meaning: Meaning }

/**
 * The plain form of handler, for a call `C` and its result `A`. It runs in a transaction opened by
 * the route. To refuse the call, it throws a problem, which rolls back its writes.
 */
type SimpleForm<C, A> = (tx: Tx, call: C, context: Context) => Promise<A>

interface WithCheck<C extends AnyInput, A, Meaning> {
  readonly check: NonNullable<Rules<C, undefined, Meaning>['check']>
  readonly handle: SimpleForm<WithMeaning<C, Meaning>, A>
}

/** Calls external systems before the transaction, then runs as a plain handler with the results. */
interface WithPreparation<C extends AnyInput, A, Fetched, Meaning, Read>
  extends Rules<C, Read, Meaning> {
  readonly prepare?: (context: Context, call: WithMeaning<C, Read>) => Promise<Fetched>
  readonly handle: (
    tx: Tx,
    call: WithMeaning<C, Meaning>,
    context: Context,
    fetched: Fetched,
  ) => Promise<A>
  /** Set by `batched`: serves concurrent calls in one transaction. */
  readonly handleBatch?: BatchHandler<WithMeaning<C, Read>, A, Fetched>
}

/**
 * Opens its own transactions, because it runs several (moving the clock), only reads, or calls an
 * external system between them.
 */
interface OrchestratedForm<C extends AnyInput, A, Body, Read> {
  readonly read?: NonNullable<Rules<C, Read, Read>['read']>
  readonly orchestrate: (
    context: Context,
    call: WithMeaning<C, Read>,
    callCommit: CallCommit<Body>,
  ) => Promise<A>
}

/** What an orchestrated handler can write in the same transaction as its work. */
export interface CallCommit<Body> {
  /**
   * Stores the response with the work, so that a repeated request replays it even after a crash.
   * A handler that does not call this has its response stored after the work.
   */
  keep(tx: Tx, answer: Body): void
  /** Claims the decision step that the request executes, if there is one. */
  takeStep(tx: Tx): Promise<StepHandle<Body>>
}

interface StepHandle<Body> {
  done(answer: Body): Promise<void>
  /** Leaves the step waiting for an external order, whose outcome executes or releases the step. */
  waitFor(order_id: string): Promise<void>
}

/** Returns one outcome per call, in order. A refused call must have written nothing. */
type BatchHandler<C, A, Fetched> = (
  tx: Tx,
  calls: readonly { readonly call: C; readonly fetched: Fetched }[],
  context: Context,
) => Promise<(A | ProblemError)[]>

type Answer<N extends OperationId> = z.input<Operations[N]['answer']>
type Answered<N extends OperationId> = Answer<N> | Reply<Answer<N> | Buffer | Readable>

export type PartialCall<N extends OperationId> = Partially<Call<N>>
export type Handler<N extends OperationId> = SimpleForm<Call<N>, Answered<N>>
export type CheckedHandler<N extends OperationId, Meaning = undefined> = WithCheck<
  Call<N>,
  Answered<N>,
  Meaning
>
export type PreparedHandler<
  N extends OperationId,
  Fetched = undefined,
  Meaning = undefined,
  Read = Meaning,
> = WithPreparation<Call<N>, Answered<N>, Fetched, Meaning, Read>
export type OrchestratedHandler<N extends OperationId, Read = undefined> = OrchestratedForm<
  Call<N>,
  Answered<N>,
  Answer<N>,
  Read
>

/**
 * A handler that processes a partner's concurrent calls in one transaction. The number of
 * statements does not depend on the number of calls. A call under a decision is processed alone.
 * `handleBatch` validates its calls; `check` runs only for requests that are already rejected.
 */
export function batched<N extends OperationId, Fetched = undefined, Read = undefined>(
  parts: Pick<PreparedHandler<N, Fetched, unknown, Read>, 'read' | 'check' | 'prepare'> & {
    readonly handleBatch: BatchHandler<WithMeaning<Call<N>, Read>, Answered<N>, Fetched>
  },
): PreparedHandler<N, Fetched, unknown, Read> {
  return {
    ...parts,
    handle: async (tx, call, context, fetched) => {
      // `check` does not run for these calls, so their meaning is the result of `read`.
      const read = call as WithMeaning<Call<N>, Read>
      const [outcome] = await parts.handleBatch(tx, [{ call: read, fetched }], context)
      if (outcome instanceof ProblemError) throw outcome
      return outcome!
    },
  }
}

/** One handler per operation; a missing one is a compile error. */
export type Handlers = {
  readonly [N in OperationId]: AnyForm<Call<N>, Answered<N>, Answer<N>>
}

/** Any form of handler. `WithCheck` is a `WithPreparation` that has no `prepare`. */
type AnyForm<C extends AnyInput, A, Body> =
  | SimpleForm<C, A>
  // biome-ignore-start lint/suspicious/noExplicitAny: the prepared data is private to each module
  | WithPreparation<C, A, any, any, any>
  | OrchestratedForm<C, A, Body, any>
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/** The signed-in operator; null for operations without sign-in. */
type SignedInOf<N extends AdminOperationId> =
  (typeof adminOperations)[N]['requires'] extends 'nothing' ? null : SignedIn

export interface AdminCall<N extends AdminOperationId> {
  readonly params: AdminParams<N>
  readonly query: AdminQuery<N>
  readonly body: AdminBody<N>
  readonly person: SignedInOf<N>
  readonly address: string
  readonly cookies: string | undefined
  readonly request_id: string
  /** The URL of a list without its cursor, for `next_page`. */
  readonly path: string
}

type AdminAnswered<N extends AdminOperationId> =
  | AdminAnswerInput<N>
  | Reply<AdminAnswerInput<N> | Buffer | Readable>

/** Handlers of the back office. By default, their transactions cover all partners. */
export type AdminHandlers = {
  readonly [N in AdminOperationId]: AnyForm<AdminCall<N>, AdminAnswered<N>, AdminAnswerInput<N>>
}
