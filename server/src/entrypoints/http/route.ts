/** An operation served under one method, with operation-specific types erased. */
import type { Method, Operation, OperationId } from '@headroom/contract'
import type { Call, Context, Handler, OrchestratedHandler, PreparedHandler } from '../../context.ts'
import type { SignedIn } from '../../platform/access/index.ts'
import type { Actor, Scope } from '../../platform/db/turns.ts'

export type AnyCall = Call<OperationId>
export type MeantCall = AnyCall & { readonly meaning: unknown }

/** Includes handlers with only a check, which have no `prepare`. */
type AnyPrepared = PreparedHandler<OperationId, unknown, unknown>
export type AnyHandler =
  | Handler<OperationId>
  | AnyPrepared
  | OrchestratedHandler<OperationId, unknown>

export interface Route {
  readonly context: Context
  readonly operation: Operation
  readonly method: Method
  readonly handler: AnyHandler
}

export function rulesOf({ handler }: Route): Pick<AnyPrepared, 'read' | 'check'> {
  return typeof handler === 'function' ? {} : handler
}

/** An operation without a scope has no caller, so its transaction covers all partners. */
export function scopeOf(
  { operation }: Route,
  { caller, person }: Pick<AnyCall, 'caller'> & { readonly person?: SignedIn | null },
): Pick<Scope, 'partners'> & { readonly actor: Actor | null } {
  if (operation.scope === null) return { partners: '*', actor: person?.operator_id ?? null }
  return { partners: [caller.partner_id], actor: caller.caller_id }
}
