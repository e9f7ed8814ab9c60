/** Validates webhook targets: the URL itself, and every IP address its name resolves to. */
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Settings } from '../../platform/db/settings.ts'
import { type Resolve, resolveName } from './resolve-name.ts'

/** What a deployment allows beyond https to public addresses. */
export interface TargetPolicy {
  readonly http: boolean
  /** Range names of ipaddr.js. */
  readonly ranges: ReadonlySet<string>
}

/** Excludes link-local addresses, where cloud metadata services respond. */
const PRIVATE_RANGES = ['private', 'uniqueLocal', 'carrierGradeNat', 'loopback']
/** All of the public IPv6 internet; excludes special forms such as ::127.0.0.1. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** A sandbox may call localhost; a setting can allow private networks. */
export function targetPolicy(
  settings: Pick<Settings, 'mode' | 'allow_private_webhooks'>,
): TargetPolicy {
  const sandbox = settings.mode === 'sandbox'
  const ranges = settings.allow_private_webhooks ? PRIVATE_RANGES : sandbox ? ['loopback'] : []
  return { http: sandbox, ranges: new Set(ranges) }
}

/** Whether an IP address is public or in a range that the policy allows. */
export function isAllowedAddress(address: string, policy: TargetPolicy): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  if (policy.ranges.has(range)) return true
  if (range !== 'unicast') return false
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_IPV6)
}

/** The fault of a target URL, or null. Host names are resolved later, at each call. */
export function targetFault(to_url: string, policy: TargetPolicy): string | null {
  if (!URL.canParse(to_url)) return 'is not an address'
  const url = new URL(to_url)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.http)) {
    return 'must begin with https://'
  }
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const local = /^(.+\.)?localhost\.?$/.test(host)
  const allowed = local
    ? policy.ranges.has('loopback')
    : !ipaddr.isValid(host) || isAllowedAddress(host, policy)
  return allowed ? null : 'must not point into a private network'
}

/** The target's URL, or an address that its name resolves to, is forbidden. */
export class TargetRefused extends Error {
  override name = 'TargetRefused'
}

/**
 * The name lookup of the connection itself: it connects only to addresses it has checked, so a DNS
 * change between check and call has no effect. One forbidden address rejects all.
 * @param signal ends the lookup
 */
export function guardedLookup(
  policy: TargetPolicy,
  signal: AbortSignal,
  resolve: Resolve = resolveName,
): LookupFunction {
  return (hostname, options, callback) => {
    const checked = resolve(hostname, signal).then(addresses => {
      if (addresses.length === 0) throw new Error('no address')
      if (addresses.some(a => !isAllowedAddress(a.address, policy))) {
        throw new TargetRefused('the name leads into a private network')
      }
      return addresses
    })
    checked.then(
      addresses => {
        const [first] = addresses
        if (options.all) callback(null, [...addresses])
        else callback(null, first!.address, first!.family)
      },
      error => callback(error, '', 0),
    )
  }
}
