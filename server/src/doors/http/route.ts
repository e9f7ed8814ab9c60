/** An operation as it is served under one method, with the operation's types forgotten. */
import type { Method, Operation, OperationId } from '@headroom/contract'
import type { Call, Conducted, Context, Handler, Prepared } from '../../context.ts'
import type { Scope } from '../../platform/db/turns.ts'

export type AnyCall = Call<OperationId>
/** A call, and what the operation's validation has made of it. */
export type MeantCall = AnyCall & { readonly meaning: unknown }

/** A handler with a check alone is one without preparation. */
type AnyPrepared = Prepared<OperationId, unknown, unknown>
export type AnyHandler = Handler<OperationId> | AnyPrepared | Conducted<OperationId, unknown>

export interface Route {
  readonly context: Context
  readonly operation: Operation
  readonly method: Method
  readonly handler: AnyHandler
}

/** The rules of an operation that its schema cannot state. */
export function rulesOf({ handler }: Route): Pick<AnyPrepared, 'read' | 'check'> {
  return typeof handler === 'function' ? {} : handler
}

/** Without a key nobody is known; such operations guard their own doors. */
export function scopeOf({ operation }: Route, { caller }: Pick<AnyCall, 'caller'>): Scope {
  return { partners: operation.scope === null ? '*' : [caller.partner_id] }
}
