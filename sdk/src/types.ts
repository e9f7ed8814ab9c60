/** What a caller sends and gets, for each operation, read from the contract's schemas. */
import type { Answer, OperationId, Operations, Version } from '@headroom/contract'
import type { z } from 'zod'

type Part<Id extends OperationId, Name extends string> =
  Operations[Id] extends Record<Name, infer S extends z.ZodType> ? S : null

type Sent<S> = S extends z.ZodType ? z.input<S> : unknown

type OptionalKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T]

/** A query as programs write it: numbers, booleans and lists, optional where the contract says. */
type QueryFields<S extends z.ZodType> = Omit<z.output<S>, OptionalKeys<z.input<S>> & string> &
  Partial<Pick<z.output<S>, OptionalKeys<z.input<S>> & keyof z.output<S>>>
type SentQuery<S> = S extends z.ZodType ? QueryFields<S> : unknown

type Flat<T> = { [K in keyof T]: T[K] }

/** All that an operation takes, in one object: the fields of its path, its query and its body. */
export type Input<Id extends OperationId> = Flat<
  Sent<Part<Id, 'params'>> & SentQuery<Part<Id, 'query'>> & Sent<Part<Id, 'body'>>
>

export type Args<Id extends OperationId> =
  object extends Input<Id>
    ? [input?: Input<Id>, options?: CallOptions]
    : [input: Input<Id>, options?: CallOptions]

export interface CallOptions {
  /** Without one, each write gets a random key, so that its own retries are one request. */
  readonly idempotency_key?: string
  /** The approved decision that lets an agent write. */
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

/** The operations that answer pages, and what is on them. */
export type ListId = {
  [Id in OperationId]: Answer<Id> extends { data: unknown[]; next_page: string | null } ? Id : never
}[OperationId]
export type Item<Id extends ListId> = Answer<Id> extends { data: (infer T)[] } ? T : never

export interface ClientOptions {
  readonly base_url: string
  readonly key: string
  /** Overrides the version that is pinned on the key. */
  readonly version?: Version
  readonly fetch?: typeof fetch
  /** How often a request is sent at most, the first time included; 4 by default. */
  readonly attempts_max?: number
}

/** One method for each operation, and two ways around them. */
export type Client = {
  readonly [Id in OperationId]: (...args: Args<Id>) => Promise<Answer<Id>>
} & {
  /** As the method of that name, with status and headers of the answer. */
  call<Id extends OperationId>(id: Id, ...args: Args<Id>): Promise<Answered<Id>>
  /** Every item of a list, page after page. */
  each<Id extends ListId>(id: Id, ...args: Args<Id>): AsyncGenerator<Item<Id>, void, undefined>
}
