/** Who calls by the cookie of a session: in a partner's world, or in the back office. */
import type { FastifyRequest } from 'fastify'
import {
  callerOf,
  checkCsrf,
  findSession,
  type KeyHolder,
  type SignedIn,
  sessionTokenIn,
} from '../access/index.ts'
import type { Context } from '../context.ts'
import { isUuid } from '../kit/ids.ts'
import { problem } from '../kit/problem.ts'

const READS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Who has signed in, or null without a cookie. Throws `session_missing` for one that has ended, and
 * `csrf_refused` for a write that no page of ours sent.
 */
export async function signedIn(
  { config, database }: Context,
  request: FastifyRequest,
): Promise<SignedIn | null> {
  const token = sessionTokenIn(config, request.headers.cookie)
  if (token === null) return null
  const person = await findSession(database, token)
  if (!person) throw problem('session_missing')
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
): Promise<KeyHolder | null> {
  const person = await signedIn(context, request)
  if (!person) return null
  requireTotp(context, person)
  const named = request.headers['headroom-partner']
  const partner_id = typeof named === 'string' && isUuid(named) ? named.toLowerCase() : null
  return callerOf(context.database, person, partner_id)
}
