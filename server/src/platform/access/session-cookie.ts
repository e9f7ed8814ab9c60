/** The session cookie: sent only to this host, and out of reach of scripts and other sites. */
import type { Config } from '../../config.ts'

/** Browsers accept a `__Host-` cookie only over https, for this host alone and with path `/`. */
const nameOf = ({ base_url }: Config) =>
  base_url.startsWith('https:') ? '__Host-headroom_session' : 'headroom_session'

/** The Set-Cookie header for a token. An empty token with zero seconds deletes the cookie. */
export function sessionCookie(config: Config, token: string, seconds: number): string {
  const parts = [`${nameOf(config)}=${token}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly']
  if (config.base_url.startsWith('https:')) parts.push('Secure')
  return [...parts, 'SameSite=Strict'].join('; ')
}

export function sessionTokenIn(config: Config, cookies: string | undefined): string | null {
  const start = `${nameOf(config)}=`
  const found = (cookies ?? '').split(/; */).find(cookie => cookie.startsWith(start))
  const token = found?.slice(start.length) ?? ''
  return /^[\w-]{43}$/.test(token) ? token : null
}
