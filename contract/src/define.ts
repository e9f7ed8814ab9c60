/** How an operation, an event and a state machine are written: plain data, nothing that runs. */
import type { z } from 'zod'
import type { BodyLimits } from './limits.ts'
import type { ProblemCode } from './problems.ts'
import type { Scope } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/**
 * One operation of the interface. Paths carry `{name}` placeholders that `params` describes.
 * `scope: null` means that no key is asked for, `'any'` that every valid key will do. `gated`
 * operations need an approved decision when an agent calls them. `sandbox` operations do not
 * exist in a live deployment.
 */
export interface Operation {
  readonly method: Method
  readonly path: `/${string}`
  readonly aliases?: readonly { readonly method?: Method; readonly path: `/${string}` }[]
  readonly summary: string
  readonly description?: string
  readonly scope: Scope | 'any' | null
  /** Other scopes that will do as well. */
  readonly or_scopes?: readonly Scope[]
  readonly gated: boolean
  /** Set where a borrower's access token will do as well, or alone. */
  readonly borrowers?: 'may' | 'only'
  readonly sandbox?: boolean
  /** Where no key is asked for: requests a minute from one address, if any are limited at all. */
  readonly per_minute?: number
  readonly success: 200 | 201 | 204
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** The body as keys of version 2023-09 may send it, where that differs. */
  readonly body_2023?: z.ZodType
  /** The query as keys of version 2023-09 may send it, where that differs. */
  readonly query_2023?: z.ZodObject
  /** Set when the body is a form; one without a file may come as JSON too. */
  readonly body_media_type?: 'multipart/form-data' | 'application/x-www-form-urlencoded'
  /** Where the body may be larger than 1 MB or 10,000 keys and items: the most that it may be. */
  readonly body_limits?: Partial<BodyLimits>
  /** Set where the signed link of an onboarding is the only credential; checked before the body. */
  readonly opened_by?: 'onboarding_link'
  /** A body that may be left out altogether. */
  readonly body_optional?: boolean
  readonly answer: z.ZodType
  /** Fields of the answer that are shown this once: no record keeps them. */
  readonly shown_once?: readonly string[]
  /** Set when no part of the answer may be stored: a repeated request always runs again. */
  readonly never_kept?: true
  /** Set when the answer is a file and not JSON. */
  readonly media_type?: string
  /** Problems beyond those every operation may answer (401, 403, 404, 422, 429, 500). */
  readonly problems: readonly ProblemCode[]
}

/** Keeps the literal types of one resource's operations. */
export function operations<const T extends Record<string, Operation>>(table: T): T {
  return table
}

/**
 * A state machine as data: which trigger leads from which status to which.
 * `initial` is the status a thing is born with.
 */
export interface Machine<Status extends string = string, Trigger extends string = string> {
  readonly name: string
  readonly initial: Status
  readonly statuses: readonly Status[]
  readonly transitions: readonly {
    readonly from: Status
    readonly trigger: Trigger
    readonly to: Status
  }[]
}

export function machine<const S extends string, const T extends string>(
  m: Machine<S, T>,
): Machine<S, T> {
  return m
}

/** One webhook event: its public name and the schema of `data`, the resource as its GET answers. */
export interface EventType {
  readonly resource: string
  readonly data: z.ZodType
  /** Set when only keys of version 2023-09 may subscribe to it. */
  readonly only_2023?: true
}

export function events<const T extends Record<string, EventType>>(table: T): T {
  return table
}
