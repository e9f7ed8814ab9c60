/** Identifies callers by their session cookie, for the partner API and the back office. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import {
  callerOf,
  checkCsrf,
  findSession,
  type KeyHolder,
  networkOf,
  type SignedIn,
  sessionTokenIn,
} from '../../platform/access/index.ts'
import { isUuid } from '../../platform/kit/ids.ts'
import { perObject } from '../../platform/kit/per-object.ts'
import { problem } from '../../platform/kit/problem.ts'
import { createAttemptLimiter } from './limits.ts'

const READS = ['GET', 'HEAD', 'OPTIONS']

/** Maximum number of cookies without a session per network and minute, if requests are limited. */
const COOKIES_PER_MINUTE = 300

const cookieTries = perObject(({ config: { rate_limit } }: Context) =>
  createAttemptLimiter(rate_limit && Math.min(rate_limit, COOKIES_PER_MINUTE)),
)

/**
 * The signed-in operator; null without a cookie. Throws `session_missing` when the session has
 * ended, `rate_limited` before the lookup when a network has sent too many such cookies, and
 * `csrf_refused` for a write that none of our pages sent.
 */
export async function requireSession(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn | null> {
  const { config, database } = context
  const token = sessionTokenIn(config, request.headers.cookie)
  if (token === null) return null
  const [tries, network] = [cookieTries(context), networkOf(request.ip)]
  await tries.begin(network, reply)
  const person = await findSession(database, token)
  if (!person) throw problem('session_missing')
  await tries.succeed(network)
  if (!READS.includes(request.method)) {
    checkCsrf(database.settings.secret, person.session_id, request.headers['x-csrf-token'])
  }
  return person
}

/** Throws `totp_required` when the operator must set up a second factor first. */
export function requireTotp({ config }: Context, person: SignedIn): void {
  if (config.mode === 'live' && !person.totp) throw problem('totp_required')
}

/** The signed-in operator, calling for the partner in Headroom-Partner; null without a cookie. */
export async function sessionCaller(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<KeyHolder | null> {
  const person = await requireSession(context, request, reply)
  if (!person) return null
  requireTotp(context, person)
  const named = request.headers['headroom-partner']
  const partner_id = typeof named === 'string' && isUuid(named) ? named.toLowerCase() : null
  return callerOf(context.database, person, partner_id)
}
