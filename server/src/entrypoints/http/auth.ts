/** Authenticates the caller and checks permissions before the body is read. */
import type { Operation, OperationId } from '@headroom/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { isResumeSignature } from '../../partners/onboardings/index.ts'
import {
  findHolder,
  findTokenHolder,
  type KeyHolder,
  looksLikeToken,
  networkOf,
} from '../../platform/access/index.ts'
import { sha256 } from '../../platform/kit/crypto.ts'
import { invalid, problem } from '../../platform/kit/problem.ts'
import { checkDecision } from './gate.ts'
import { createLimiter, type Limiter, limit } from './limits.ts'
import { sessionCaller } from './session.ts'
import { databaseTimeout, withTimeout } from './timeout.ts'
import { versionOf } from './versions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for operations that require no key. */
    caller: KeyHolder | null
    /** The decision that the request must execute a step of; null if it needs none. */
    decision_id: string | null
  }
}

/** Includes the wait for a database connection and for earlier key lookups. */
const AUTHENTICATE_MS_MAX = 10_000
const KEY_LENGTH_MAX = 200
const TOKEN_LENGTH_MAX = 2000

/** The key in an Authorization header, with or without the word Bearer, which old clients omit. */
function keyOf(authorization: string | undefined): string | null {
  return /^(?:bearer\s+)?(\S+)$/i.exec(authorization?.trim() ?? '')?.[1] ?? null
}

/** The caller by session or key; throws a 503 if the database does not answer in time. */
function authenticate(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<KeyHolder> {
  const { pool } = context.database
  return withTimeout(findCaller(context, request, reply), AUTHENTICATE_MS_MAX, () =>
    databaseTimeout(pool),
  )
}

async function findCaller(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<KeyHolder> {
  if (request.headers.authorization?.trim()) return authenticateByKey(context, request)
  const person = await sessionCaller(context, request, reply)
  if (!person) throw problem('key_missing')
  return asDeclaredAgent(request, person)
}

async function authenticateByKey(context: Context, request: FastifyRequest): Promise<KeyHolder> {
  const { authorization } = request.headers
  if (!authorization?.trim()) throw problem('key_missing')
  const key = keyOf(authorization)
  if (key === null || key.length > TOKEN_LENGTH_MAX) throw problem('key_invalid')
  const isToken = looksLikeToken(key)
  if (!isToken && key.length > KEY_LENGTH_MAX) throw problem('key_invalid')
  const holder = isToken
    ? await findTokenHolder(context.database, key)
    : await findHolder(context.database, sha256(key))
  if (!holder) throw problem('key_invalid')
  return asDeclaredAgent(request, holder)
}

/** Callers may always declare themselves agents, since an agent has fewer permissions. */
function asDeclaredAgent({ headers }: FastifyRequest, holder: KeyHolder): KeyHolder {
  return headers['x-headroom-actor'] === 'agent' ? { ...holder, actor: 'agent' } : holder
}

function refuseBorrower({ borrower_id }: KeyHolder): void {
  if (borrower_id === null) return
  throw problem('scope_missing', 'An access token of a borrower opens its cards alone.')
}

function checkScope(operation: Operation, caller: KeyHolder): void {
  const { scope, or_scopes = [], borrowers } = operation
  if (!borrowers) refuseBorrower(caller)
  if (caller.borrower_id === null && borrowers === 'only') throw problem('borrower_token_missing')
  const enough = or_scopes.some(other => caller.scopes.has(other))
  if (scope && scope !== 'any' && !enough && !caller.scopes.has(scope)) {
    throw problem('scope_missing', `This needs a key with the scope ${scope}.`)
  }
  if (operation.sandbox && caller.actor === 'agent') throw problem('agent_refused')
  if (operation.gated && caller.partner_suspended) throw problem('partner_suspended')
}

/**
 * Authenticates a caller of the MCP server, by key only: an operator's session must not serve an
 * agent. The operations it calls are admitted like any other request.
 */
export function admitAgent(context: Context, limiter: Limiter) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<KeyHolder> => {
    const caller = await authenticateByKey(context, request)
    await limit(limiter, caller.key_id ?? caller.caller_id, reply)
    refuseBorrower(caller)
    return caller
  }
}

/** Throws unless the request has a signature that we issued for the onboarding. */
function checkLink({ database }: Context, { params, query }: FastifyRequest): void {
  const { onboarding_id } = params as { onboarding_id: string }
  const { signature } = query as { signature?: unknown }
  if (signature === undefined) throw invalid({ name: 'signature', reason: 'is required' })
  const right =
    typeof signature === 'string' && isResumeSignature(database.settings, onboarding_id, signature)
  if (!right) throw problem('signature_invalid', 'This is not the address of an onboarding.')
}

/** A route's hook: checks key, limit, scope, decision and version, and throws the first problem. */
export function admit(
  context: Context,
  operation_id: OperationId,
  operation: Operation,
  limiter: Limiter,
) {
  const { scope, per_minute } = operation
  const { rate_limit } = context.config
  const withoutKey = createLimiter(rate_limit && Math.min(rate_limit, per_minute ?? rate_limit))
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (scope === null) {
      await limit(withoutKey, networkOf(request.ip), reply)
      return operation.opened_by && checkLink(context, request)
    }
    const caller = await authenticate(context, request, reply)
    await limit(limiter, caller.key_id ?? caller.caller_id, reply)
    checkScope(operation, caller)
    const path = request.url.split('?', 1)[0]!
    const { id: request_id, method } = request
    const gatedRequest = { operation_id, operation, method, path, request_id }
    request.decision_id = await checkDecision(context, gatedRequest, caller, request.headers)
    const version = versionOf(request.headers['headroom-version'], caller.version)
    reply.header('headroom-version', version)
    request.caller = { ...caller, version }
  }
}
