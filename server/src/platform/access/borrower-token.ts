/**
 * Borrower access tokens: short-lived JWTs, valid only while the partner's key that issued them is.
 */
import { jwtVerify, SignJWT } from 'jose'
import { queryRepeatable } from '../db/connect.ts'
import type { Database } from '../db/transaction.ts'
import { hexKey, hmacSign } from '../kit/crypto.ts'
import { isUuid } from '../kit/ids.ts'
import { problem } from '../kit/problem.ts'
import type { Caller } from './caller.ts'
import type { KeyHolder } from './queries.ts'

const LIFE_SECONDS = 15 * 60
const AUDIENCE = 'headroom:cards'
const ALGORITHM = 'HS256'

/** A key derived only for tokens, so that nothing else signed with the secret passes as a token. */
function signingKey(secret: string): Uint8Array {
  return Buffer.from(hmacSign('borrower access tokens', hexKey(secret)), 'base64url')
}

/**
 * Issues a token for the borrower's own calls, valid for fifteen minutes of real time. Throws
 * `scope_missing` for a caller without a key.
 */
export async function mintBorrowerToken(
  secret: string,
  { partner_id, key_id }: Pick<Caller, 'partner_id' | 'key_id'>,
  borrower_id: string,
  now: Date = new Date(),
): Promise<{ access_token: string; expires_at: Date }> {
  if (key_id === null) throw problem('scope_missing', 'Only a key mints access tokens.')
  const issued = Math.floor(now.getTime() / 1000)
  const expires = issued + LIFE_SECONDS
  const access_token = await new SignJWT({ partner_id, key_id })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setSubject(borrower_id)
    .setAudience(AUDIENCE)
    .setIssuedAt(issued)
    .setExpirationTime(expires)
    .sign(signingKey(secret))
  return { access_token, expires_at: new Date(expires * 1000) }
}

/** Whether a text has the three dot-separated parts of a JWT, which no key of ours has. */
export function looksLikeToken(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)
}

/** The holder of a token; null when it is not ours, has expired, or its key is no longer valid. */
export async function findTokenHolder(
  database: Database,
  token: string,
): Promise<KeyHolder | null> {
  const claims = await read(database.settings.secret, token)
  if (!claims) return null
  const [row] = await queryRepeatable<Omit<KeyHolder, 'scopes' | 'borrower_id'>>(database.pool, {
    name: 'token_holder',
    text: 'select * from token_holder($1, $2)',
    values: [claims.partner_id, claims.key_id],
  })
  if (!row) return null
  return { ...row, scopes: new Set(['cards:read', 'cards:write']), borrower_id: claims.borrower_id }
}

async function read(secret: string, token: string) {
  try {
    const options = { algorithms: [ALGORITHM], audience: AUDIENCE, requiredClaims: ['exp', 'sub'] }
    const { payload } = await jwtVerify(token, signingKey(secret), options)
    const { sub: borrower_id, partner_id, key_id } = payload
    if (typeof partner_id !== 'string' || !isUuid(partner_id)) return null
    if (typeof key_id !== 'string' || !isUuid(key_id)) return null
    return { borrower_id: borrower_id!, partner_id, key_id }
  } catch {
    return null
  }
}
