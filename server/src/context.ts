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
import { type InvalidParam, ProblemError } from './platform/kit/problem.ts'
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

/**
 * The three forms of handler, for a kind of call `C` and its answer `A`. A plain one runs inside the
 * transaction that the route opens. It throws a problem to refuse; everything it wrote is then
 * rolled back.
 */
type Plain<C, A> = (tx: Tx, call: C, context: Context) => Promise<A>

/** Asks the outside before the transaction, and is a plain handler that knows the answers. */
interface WithPreparation<C, A, Learnt> {
  readonly prepare: (context: Context, call: C) => Promise<Learnt>
  readonly handle: (tx: Tx, call: C, context: Context, learnt: Learnt) => Promise<A>
  /** Set by `gathered`: serves calls that come in at the same time in one transaction. */
  readonly together?: Together<C, A, Learnt>
}

/**
 * Opens its own transactions: it works step by step (moving the clock), reads only, or sees a call
 * to the outside through.
 */
interface Conducting<C, A, Body> {
  readonly conduct: (context: Context, call: C, formalities: Formalities<Body>) => Promise<A>
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
export interface StepTaken<Body> {
  /** The work is done: the step is executed with this answer. */
  done(answer: Body): Promise<void>
  /** The work is an order to the outside: the step is executed with what comes of it, or stays open. */
  waitFor(order_id: string): Promise<void>
}

/** One outcome a call, in their order. A problem is one: what it refuses must have written nothing. */
type Together<C, A, Learnt> = (
  tx: Tx,
  calls: readonly { readonly call: C; readonly learnt: Learnt }[],
  context: Context,
) => Promise<(A | ProblemError)[]>

type Answer<N extends OperationId> = z.input<Operations[N]['answer']>
type Answered<N extends OperationId> = Answer<N> | Reply<Answer<N> | Buffer | Readable>

export type Handler<N extends OperationId> = Plain<Call<N>, Answered<N>>
export type Prepared<N extends OperationId, Learnt> = Inspecting<N> &
  WithPreparation<Call<N>, Answered<N>, Learnt>
export type Conducted<N extends OperationId> = Inspecting<N> &
  Conducting<Call<N>, Answered<N>, Answer<N>>

/**
 * A handler that serves a list of calls, in statements that serve all of them. Calls of a partner
 * that come in while others are at work are carried out together; one under a decision by itself.
 */
export function gathered<N extends OperationId, Learnt = undefined>({
  together,
  prepare = async () => undefined as Learnt,
  ...rest
}: Inspecting<N> &
  Partial<Pick<Prepared<N, Learnt>, 'prepare'>> & {
    readonly together: Together<Call<N>, Answered<N>, Learnt>
  }): Prepared<N, Learnt> {
  return {
    ...rest,
    prepare,
    together,
    handle: async (tx, call, context, learnt) => {
      const [outcome] = await together(tx, [{ call, learnt }], context)
      if (outcome instanceof ProblemError) throw outcome
      return outcome!
    },
  }
}

/** A request with holes: of path, query and body, what is well-formed by itself. */
interface Holed<C extends AnyInput> {
  readonly params: WellFormed<C['params']>
  readonly query: WellFormed<C['query']>
  readonly body: WellFormed<C['body']>
  /** Names of the faults that are known: what is dear to look at need not be looked at twice. */
  readonly told: ReadonlySet<string>
}

interface AnyInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

export type Look<N extends OperationId> = Holed<Call<N>> & Pick<Call<N>, 'caller'>

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

interface Inspecting<N extends OperationId> {
  readonly inspect?: Inspect<N>
}

/** A handler in the route's transaction that has rules which its schema cannot see. */
export type Inspected<N extends OperationId> = {
  readonly inspect: Inspect<N>
  readonly handle: Handler<N>
}

/** One handler for every operation: a missing one does not compile. */
export type Handlers = {
  readonly [N in OperationId]:
    | Handler<N>
    | Inspected<N>
    // biome-ignore lint/suspicious/noExplicitAny: what a room learns is its own affair
    | Prepared<N, any>
    | Conducted<N>
}

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

type AdminLook<N extends AdminOperationId> = Holed<AdminCall<N>>
type AdminPlain<N extends AdminOperationId> = Plain<AdminCall<N>, AdminAnswered<N>>

/** One that has rules which its schema cannot see; it is asked as `Inspect` says. */
interface AdminInspected<N extends AdminOperationId> {
  readonly inspect: (context: Context, look: AdminLook<N>) => Promise<readonly InvalidParam[]>
  readonly handle: AdminPlain<N>
}

/** The same forms, for operations of the back office, over the worlds of all partners. */
export type AdminHandlers = {
  readonly [N in AdminOperationId]:
    | AdminPlain<N>
    | AdminInspected<N>
    | Conducting<AdminCall<N>, AdminAnswered<N>, AdminAnswerInput<N>>
}
