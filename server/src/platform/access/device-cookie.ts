/**
 * The cookie of a browser in which an operator has signed in before. It grants no access. Failed
 * attempts from that browser are counted separately, so that others cannot lock the operator out.
 */
import type { Config } from '../../config.ts'
import { hexKey, hmacSign, hmacVerify, randomToken } from '../kit/crypto.ts'

/** The longest that browsers keep a cookie. */
const LIFE_SECONDS = 400 * 24 * 3600
/** Operators remembered per browser; the one who signed in least recently is dropped. */
const PEOPLE_MAX = 5
const TOKEN = /^[\w-]{22}(\.[0-9a-f-]{36}~[\w-]{43}){1,5}$/

/** A browser's random id and the operators who have signed in there, most recent first. */
export interface Device {
  readonly id: string
  readonly operator_ids: readonly string[]
}

const isSecure = ({ base_url }: Config) => base_url.startsWith('https:')
const nameOf = (config: Config) => `${isSecure(config) ? '__Secure-' : ''}headroom_device`
const signedText = (id: string, operator_id: string) => `device ${id} of ${operator_id}`

/**
 * The browser named in a Cookie header, with the operators whose signatures are valid; null if
 * there are none. Uses no database, because the result decides in which queue a sign-in waits.
 */
export function deviceIn(
  config: Config,
  secret: string,
  cookies: string | undefined,
): Device | null {
  const start = `${nameOf(config)}=`
  const found = (cookies ?? '').split(/; */).find(cookie => cookie.startsWith(start))
  const token = found?.slice(start.length) ?? ''
  if (!TOKEN.test(token)) return null
  const [id = '', ...people] = token.split('.')
  const operator_ids = people.flatMap(person => {
    const [operator_id = '', signature = ''] = person.split('~')
    return hmacVerify(signedText(id, operator_id), signature, hexKey(secret)) ? [operator_id] : []
  })
  return operator_ids.length > 0 ? { id, operator_ids } : null
}

/** The Set-Cookie header after an operator has signed in. */
export function deviceCookie(
  config: Config,
  secret: string,
  device: Device | null,
  operator_id: string,
): string {
  const id = device?.id ?? randomToken(16)
  const others = device?.operator_ids.filter(other => other !== operator_id) ?? []
  const people = [operator_id, ...others.slice(0, PEOPLE_MAX - 1)]
  const signed = people.map(one => `${one}~${hmacSign(signedText(id, one), hexKey(secret))}`)
  const token = [id, ...signed].join('.')
  const parts = [`${nameOf(config)}=${token}`, 'Path=/admin/session', `Max-Age=${LIFE_SECONDS}`]
  if (isSecure(config)) parts.push('Secure')
  return [...parts, 'HttpOnly', 'SameSite=Strict'].join('; ')
}
