/** The input and output types of each operation, derived from the contract's schemas. */
import type { Answer, OperationId, Operations, Version } from '@headroom/contract'
import type { z } from 'zod'

type Part<Id extends OperationId, Name extends string> =
  Operations[Id] extends Record<Name, infer S extends z.ZodType> ? S : null

type Sent<S> = S extends z.ZodType ? z.input<S> : unknown

type OptionalKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T]

/**
 * A query in native types: numbers, booleans and lists. Fields are optional where the contract's
 * are.
 */
type QueryFields<S extends z.ZodType> = Omit<z.output<S>, OptionalKeys<z.input<S>> & string> &
  Partial<Pick<z.output<S>, OptionalKeys<z.input<S>> & keyof z.output<S>>>
type SentQuery<S> = S extends z.ZodType ? QueryFields<S> : unknown

type Flat<T> = { [K in keyof T]: T[K] }

/** All input of an operation in one object: the fields of its path, query and body. */
export type Input<Id extends OperationId> = Flat<
  Sent<Part<Id, 'params'>> & SentQuery<Part<Id, 'query'>> & Sent<Part<Id, 'body'>>
>

export type Args<Id extends OperationId> =
  object extends Input<Id>
    ? [input?: Input<Id>, options?: CallOptions]
    : [input: Input<Id>, options?: CallOptions]

export interface CallOptions {
  /** Defaults to a random key per write, so that the client's own retries count as one request. */
  readonly idempotency_key?: string
  /** The approved decision, for writes that need one. */
  readonly decision_id?: string
  readonly version?: Version
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface Answered<Id extends OperationId> {
  readonly data: Answer<Id>
  readonly status: number
  readonly headers: Headers
}

/** The operations that return pages, and the type of their items. */
export type ListId = {
  [Id in OperationId]: Answer<Id> extends { data: unknown[]; next_page: string | null } ? Id : never
}[OperationId]
export type Item<Id extends ListId> = Answer<Id> extends { data: (infer T)[] } ? T : never

export interface ClientOptions {
  readonly base_url: string
  readonly key: string
  /** Overrides the version pinned to the key. */
  readonly version?: Version
  readonly fetch?: typeof fetch
  /** Maximum number of attempts, including the first; 4 by default. */
  readonly attempts_max?: number
}

/** One method per operation, plus `call` and `each`. */
export type Client = {
  readonly [Id in OperationId]: (...args: Args<Id>) => Promise<Answer<Id>>
} & {
  /** Like the operation's method, but also returns the answer's status and headers. */
  call<Id extends OperationId>(id: Id, ...args: Args<Id>): Promise<Answered<Id>>
  /** Iterates over the items of a list, page by page. */
  each<Id extends ListId>(id: Id, ...args: Args<Id>): AsyncGenerator<Item<Id>, void, undefined>
}
