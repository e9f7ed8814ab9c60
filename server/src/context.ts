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

/** A request as far as it is well-formed, with holes where it is not. A call has no holes. */
type Holed<C extends AnyInput> = Pick<C, Extract<keyof C, 'caller'>> & {
  readonly params: WellFormed<C['params']>
  readonly query: WellFormed<C['query']>
  readonly body: WellFormed<C['body']>
}

interface AnyInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** What validation beyond the schema has found: everything wrong, or what the request means. */
export interface Findings<Meaning = undefined> {
  readonly faults: readonly InvalidParam[]
  /** For the handler. Null for faults, or where what the path names is not there (a 404). */
  readonly meaning?: Meaning | null
}

/** Throws `request_invalid` with every fault, and `resource_unknown` where there is no meaning. */
export function meaningOf<Meaning>({ faults, meaning }: Findings<Meaning>): Meaning {
  if (faults.length > 0) throw invalid(faults)
  if (meaning === null) throw problem('resource_unknown')
  return meaning as Meaning
}

/**
 * Rules that no schema can state: across fields, numbers that are none, what is named and must
 * exist. An operation has one function for them. It is asked about whole requests, and about those
 * that their schema refuses, so that one answer tells all; where a rule needs a field that is a
 * hole, it is silent. It writes nothing.
 */
interface Rules<C extends AnyInput, Read, Meaning> {
  /** Before the transaction, for rules that take the outside or long reading. */
  readonly read?: (context: Context, look: Holed<C>) => Awaitable<Findings<Read>>
  /** In the transaction of the handler; in one by itself where the request is refused already. */
  readonly check?: (tx: Tx, look: Holed<C>, read: Read | null) => Awaitable<Findings<Meaning>>
}

type Awaitable<T> = T | Promise<T>
/** A call, and what it means beyond its fields. */
type Meant<C, Meaning> = C & { readonly meaning: Meaning }

/**
 * The three forms of handler, for a kind of call `C` and its answer `A`. A plain one runs inside
 * the transaction that the route opened. It throws a problem to refuse; everything it wrote is then
 * rolled back.
 */
type Plain<C, A> = (tx: Tx, call: C, context: Context) => Promise<A>

interface WithCheck<C extends AnyInput, A, Meaning> {
  readonly check: NonNullable<Rules<C, undefined, Meaning>['check']>
  readonly handle: Plain<Meant<C, Meaning>, A>
}

/** Asks the outside before the transaction, and is a plain handler that knows the answers. */
interface WithPreparation<C extends AnyInput, A, Learnt, Meaning, Read>
  extends Rules<C, Read, Meaning> {
  readonly prepare?: (context: Context, call: Meant<C, Read>) => Promise<Learnt>
  readonly handle: (tx: Tx, call: Meant<C, Meaning>, context: Context, learnt: Learnt) => Promise<A>
  /** Set by `gathered`: serves calls that come in at the same time in one transaction. */
  readonly together?: Together<Meant<C, Read>, A, Learnt>
}

/**
 * Opens its own transactions: it works step by step (moving the clock), reads only, or sees a call
 * to the outside through.
 */
interface Conducting<C extends AnyInput, A, Body, Read> {
  readonly read?: NonNullable<Rules<C, Read, Read>['read']>
  readonly conduct: (
    context: Context,
    call: Meant<C, Read>,
    formalities: Formalities<Body>,
  ) => Promise<A>
}

/** What a conducted request writes in the same transaction as its work, where that matters. */
export interface Formalities<Body> {
  /**
   * Keeps the answer for repeats, for work that must not be done again when the process dies before
   * it has answered. Otherwise the answer is kept afterwards.
   */
  keep(tx: Tx, answer: Body): void
  /** Takes the step of the decision that the request comes with; without one nothing happens. */
  takeStep(tx: Tx): Promise<StepTaken<Body>>
}

/** The step of a decision, taken for work in the same transaction. */
interface StepTaken<Body> {
  /** The work is done: the step is executed with this answer. */
  done(answer: Body): Promise<void>
  /** The step waits for an external order and is executed with the order's outcome. */
  waitFor(order_id: string): Promise<void>
}

/** One outcome a call, in their order. What a problem refuses must have written nothing. */
type Together<C, A, Learnt> = (
  tx: Tx,
  calls: readonly { readonly call: C; readonly learnt: Learnt }[],
  context: Context,
) => Promise<(A | ProblemError)[]>

type Answer<N extends OperationId> = z.input<Operations[N]['answer']>
type Answered<N extends OperationId> = Answer<N> | Reply<Answer<N> | Buffer | Readable>

export type Look<N extends OperationId> = Holed<Call<N>>
export type Handler<N extends OperationId> = Plain<Call<N>, Answered<N>>
export type Checked<N extends OperationId, Meaning = undefined> = WithCheck<
  Call<N>,
  Answered<N>,
  Meaning
>
export type Prepared<
  N extends OperationId,
  Learnt = undefined,
  Meaning = undefined,
  Read = Meaning,
> = WithPreparation<Call<N>, Answered<N>, Learnt, Meaning, Read>
export type Conducted<N extends OperationId, Read = undefined> = Conducting<
  Call<N>,
  Answered<N>,
  Answer<N>,
  Read
>

/**
 * A handler that serves a list of calls, in statements that serve all of them. Calls of a partner
 * that come in while others are at work are carried out together; one under a decision by itself.
 * It checks its calls itself: `check` is asked about requests that are refused already.
 */
export function gathered<N extends OperationId, Learnt = undefined, Read = undefined>(
  parts: Pick<Prepared<N, Learnt, unknown, Read>, 'read' | 'check' | 'prepare'> & {
    readonly together: Together<Meant<Call<N>, Read>, Answered<N>, Learnt>
  },
): Prepared<N, Learnt, unknown, Read> {
  return {
    ...parts,
    handle: async (tx, call, context, learnt) => {
      // Not checked by itself, it means what was read.
      const read = call as Meant<Call<N>, Read>
      const [outcome] = await parts.together(tx, [{ call: read, learnt }], context)
      if (outcome instanceof ProblemError) throw outcome
      return outcome!
    },
  }
}

/** One handler for every operation: a missing one does not compile. */
export type Handlers = {
  readonly [N in OperationId]: AnyForm<Call<N>, Answered<N>, Answer<N>>
}

/** A handler with a check alone is one without preparation. */
type AnyForm<C extends AnyInput, A, Body> =
  | Plain<C, A>
  // biome-ignore-start lint/suspicious/noExplicitAny: what a room learns is its own affair
  | WithPreparation<C, A, any, any, any>
  | Conducting<C, A, Body, any>
// biome-ignore-end lint/suspicious/noExplicitAny: as above

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

/** Over the worlds of all partners. */
export type AdminHandlers = {
  readonly [N in AdminOperationId]: AnyForm<AdminCall<N>, AdminAnswered<N>, AdminAnswerInput<N>>
}
