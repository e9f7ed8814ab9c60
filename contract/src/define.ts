/** How operations, events and state machines are defined: plain data without behavior. */
import { z } from 'zod'
import type { BodyLimits } from './limits.ts'
import type { ProblemCode } from './problems.ts'
import type { Scope } from './scopes.ts'

/** The metadata key with which `dayDependent` marks a field. The OpenAPI document omits it. */
export const OF_THE_DAY = 'of_the_day'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/**
 * One operation of the API. Paths contain `{name}` placeholders described by `params`. `scope:
 * null` means that no key is required, `'any'` that any valid key suffices. `gated` operations need
 * an approved decision when called by an agent, or by a person whose partner requires it. `sandbox`
 * operations do not exist in a live deployment.
 */
export interface Operation {
  readonly method: Method
  readonly path: `/${string}`
  readonly aliases?: readonly { readonly method?: Method; readonly path: `/${string}` }[]
  readonly summary: string
  readonly description?: string
  readonly scope: Scope | 'any' | null
  /** Other scopes that also suffice. */
  readonly or_scopes?: readonly Scope[]
  readonly gated: boolean
  /** Set if a borrower's access token is also accepted, or is required. */
  readonly borrowers?: 'may' | 'only'
  readonly sandbox?: boolean
  /** Requests per minute from one network, where no key is required, if below the usual limit. */
  readonly per_minute?: number
  readonly success: 200 | 201 | 204
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** The body that keys of version 2023-09 may send, if it differs. */
  readonly body_2023?: z.ZodType
  /** The query that keys of version 2023-09 may send, if it differs. */
  readonly query_2023?: z.ZodObject
  /** Set if the body is a form; a form without a file may also be sent as JSON. */
  readonly body_media_type?: 'multipart/form-data' | 'application/x-www-form-urlencoded'
  /** Limits for a body larger than 1 MB or with more than 10,000 keys and items. */
  readonly body_limits?: Partial<BodyLimits>
  /** Set where an onboarding's signed link is the only credential; checked before the body. */
  readonly opened_by?: 'onboarding_link'
  readonly body_optional?: boolean
  readonly answer: z.ZodType
  /**
   * The answer's fields that hold a list of any length; empty if the answer is a file made of such
   * a list. Omitted for pages and arrays, which the schema identifies.
   */
  readonly long_lists?: readonly string[]
  /** Fields that only this answer and its replays show. A decision's record omits them. */
  readonly shown_once?: readonly string[]
  /** Set if no part of the answer may be stored: a repeated request always runs again. */
  readonly never_kept?: true
  /** Set if the answer is not JSON but a file. */
  readonly media_type?: string
  /** Problems in addition to those that follow from the fields above (`problemsOf`). */
  readonly problems: readonly ProblemCode[]
}

export function operations<const T extends Record<string, Operation>>(table: T): T {
  return table
}

/** A state machine: each trigger leads from one status to another. Resources start in `initial`. */
export interface Machine<Status extends string = string, Trigger extends string = string> {
  readonly name: string
  /** Describes the resource and its lifecycle in a sentence or two, for the diagrams. */
  readonly about: string
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

/** A webhook event: its resource, and the schema of `data`, the resource as GET returns it. */
export interface EventType {
  readonly resource: string
  readonly data: z.ZodType
  /**
   * Set on the event for changes that have no event of their own. A change with its own event does
   * not send it.
   */
  readonly is_update?: true
  /** Set if only keys of version 2023-09 can subscribe to it. */
  readonly only_2023?: true
}

export function events<const T extends Record<string, EventType>>(table: T): T {
  return table
}

/**
 * Marks a field whose value depends on the date, such as accrued interest. A change of such fields
 * alone sends no event.
 */
export function dayDependent<const S extends z.ZodType>(schema: S): S {
  return schema.meta({ [OF_THE_DAY]: true })
}

/** The names of the top-level fields that `dayDependent` marks. */
export function dayDependentFields(answer: z.ZodType): string[] {
  if (!(answer instanceof z.ZodObject)) return []
  const fields = Object.entries(answer.shape as Record<string, z.ZodType>)
  return fields.flatMap(([name, field]) => (field.meta()?.[OF_THE_DAY] ? [name] : []))
}
