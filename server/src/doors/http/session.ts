/** Who calls by the cookie of a session: in a partner's world, or in the back office. */
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
import { problem } from '../../platform/kit/problem.ts'
import { createTries, type Tries } from './limits.ts'

const READS = ['GET', 'HEAD', 'OPTIONS']

/** Cookies without a session that one network may send, where requests are limited at all. */
const COOKIES_PER_MINUTE = 300

const triesOf = new WeakMap<Context, Tries>()

function cookieTries(context: Context): Tries {
  const { rate_limit } = context.config
  const known = triesOf.get(context)
  const tries = known ?? createTries(rate_limit && Math.min(rate_limit, COOKIES_PER_MINUTE))
  triesOf.set(context, tries)
  return tries
}

/**
 * Who has signed in, or null without a cookie. Throws `session_missing` for one that has ended,
 * `rate_limited` for one too many of these from a network, before it is looked up, and
 * `csrf_refused` for a write that no page of ours sent.
 */
export async function signedIn(
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

/** Throws `totp_required` for who has to set up a second factor before anything else. */
export function requireTotp({ config }: Context, person: SignedIn): void {
  if (config.mode === 'live' && !person.totp) throw problem('totp_required')
}

/** A signed-in person as a caller of the partner in Headroom-Partner, or null without a cookie. */
export async function sessionCaller(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<KeyHolder | null> {
  const person = await signedIn(context, request, reply)
  if (!person) return null
  requireTotp(context, person)
  const named = request.headers['headroom-partner']
  const partner_id = typeof named === 'string' && isUuid(named) ? named.toLowerCase() : null
  return callerOf(context.database, person, partner_id)
}
