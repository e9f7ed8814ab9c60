/**
 * The cookie of a browser in which someone has signed in before. It opens nothing: whoever has it
 * is counted apart when a password is wrong, so that others cannot lock that person out.
 */
import type { Config } from '../config.ts'
import { hexKey, hmacSign, hmacVerify, randomToken } from '../kit/crypto.ts'

/** As long as browsers keep any cookie. */
const LIFE_SECONDS = 400 * 24 * 3600
/** People who share a browser; who has not signed in for longest is forgotten. */
const PEOPLE_MAX = 5
const TOKEN = /^[\w-]{22}(\.[\w-]{43}){1,5}$/

/** A browser by its random id, and the signatures of who has signed in there. */
export interface Device {
  readonly id: string
  readonly signatures: readonly string[]
}

const isSecure = ({ base_url }: Config) => base_url.startsWith('https:')
const nameOf = (config: Config) => `${isSecure(config) ? '__Secure-' : ''}headroom_device`
const signedText = (id: string, operator_id: string) => `device ${id} of ${operator_id}`

/** The browser that a Cookie header names, or null. What it says is not checked yet. */
export function deviceIn(config: Config, cookies: string | undefined): Device | null {
  const start = `${nameOf(config)}=`
  const found = (cookies ?? '').split(/; */).find(cookie => cookie.startsWith(start))
  const token = found?.slice(start.length) ?? ''
  if (!TOKEN.test(token)) return null
  const [id, ...signatures] = token.split('.')
  return { id: id!, signatures }
}

/** Whether a person has signed in with this browser before. */
export function isDeviceOf(secret: string, device: Device, operator_id: string): boolean {
  const text = signedText(device.id, operator_id)
  return device.signatures.some(signature => hmacVerify(text, signature, hexKey(secret)))
}

/** The Set-Cookie header of a browser in which a person has just signed in. */
export function deviceCookie(
  config: Config,
  secret: string,
  device: Device | null,
  operator_id: string,
): string {
  const id = device?.id ?? randomToken(16)
  const own = hmacSign(signedText(id, operator_id), hexKey(secret))
  const others = device?.signatures.filter(signature => signature !== own) ?? []
  const token = [id, own, ...others.slice(0, PEOPLE_MAX - 1)].join('.')
  const parts = [`${nameOf(config)}=${token}`, 'Path=/admin/session', `Max-Age=${LIFE_SECONDS}`]
  if (isSecure(config)) parts.push('Secure')
  return [...parts, 'HttpOnly', 'SameSite=Strict'].join('; ')
}
