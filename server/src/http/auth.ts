/** Who is calling and whether he may: the checks before a body is even read, in their order. */
import type { Operation } from '@headroom/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findHolder, type KeyHolder } from '../access/index.ts'
import type { Context } from '../context.ts'
import { sha256 } from '../kit/crypto.ts'
import { isUuid } from '../kit/ids.ts'
import { problem } from '../kit/problem.ts'
import { type Limiter, tooMany } from './limits.ts'
import { versionOf } from './versions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on an operation that asks for no key. */
    caller: KeyHolder | null
  }
}

const KEY_LENGTH_MAX = 200

/** The key of an Authorization header: with the word Bearer or, as old clients send it, without. */
function keyOf(authorization: string | undefined): string | null {
  return /^(?:bearer\s+)?(\S+)$/i.exec(authorization?.trim() ?? '')?.[1] ?? null
}

async function authenticate(context: Context, request: FastifyRequest): Promise<KeyHolder> {
  const { authorization } = request.headers
  if (!authorization?.trim()) throw problem('key_missing')
  const key = keyOf(authorization)
  if (key === null || key.length > KEY_LENGTH_MAX) throw problem('key_invalid')
  const holder = await findHolder(context.database, sha256(key))
  if (!holder) throw problem('key_invalid')
  return holder
}

function checkScope(operation: Operation, caller: KeyHolder): void {
  const { scope } = operation
  if (scope && scope !== 'any' && !caller.scopes.has(scope)) {
    throw problem('scope_missing', `This needs a key with the scope ${scope}.`)
  }
  if (operation.gated && caller.partner_suspended) throw problem('partner_suspended')
}

/** Agents write only what a decision allows; a human who names one is checked as well. */
function checkGate(operation: Operation, caller: KeyHolder, decision: unknown): void {
  if (!operation.gated || (caller.actor === 'human' && decision === undefined)) return
  if (typeof decision !== 'string' || !isUuid(decision)) throw problem('decision_required')
  throw problem('decision_unknown', `There is no decision ${decision}.`)
}

/** Made for each route: key, limit, scope, gate, version. Throws the first problem it finds. */
export function admit(context: Context, operation: Operation, limiter: Limiter) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (operation.scope === null) return
    const caller = await authenticate(context, request)
    const { headers, wait_seconds } = await limiter(caller.key_id)
    reply.headers(headers)
    if (wait_seconds !== null) throw tooMany(wait_seconds)
    checkScope(operation, caller)
    checkGate(operation, caller, request.headers['x-decision-id'])
    const version = versionOf(request.headers['headroom-version'], caller.version)
    reply.header('headroom-version', version)
    request.caller = { ...caller, version }
  }
}
