/** Maps an address to the network to which limits apply. Pure. */
import ipaddr from 'ipaddr.js'

/**
 * One subscriber is assigned a whole /64 and could otherwise use a new address for each request.
 */
const IPV6_PREFIX_BITS = 64
const TEXT_MAX = 100

/** The /64 network of an IPv6 address, or an IPv4 address itself, also when mapped into IPv6. */
export function networkOf(address: string | undefined): string {
  // A closed connection no longer has an address.
  if (address === undefined) return ''
  if (!ipaddr.isValid(address)) return address.slice(0, TEXT_MAX)
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const bits = (parsed as ipaddr.IPv6).parts.slice(0, IPV6_PREFIX_BITS / 16)
  return `${bits.map(part => part.toString(16)).join(':')}::/${IPV6_PREFIX_BITS}`
}
