/** The network that an address stands for when tries are counted: pure. */
import ipaddr from 'ipaddr.js'

/** What one subscriber is given of IPv6: each of its addresses would be a fresh start. */
const IPV6_PREFIX_BITS = 64
const TEXT_MAX = 100

/** An IPv4 address as it is, also inside IPv6; of an IPv6 address its /64 network. */
export function networkOf(address: string | undefined): string {
  // A connection that has ended has no address any more.
  if (address === undefined) return ''
  if (!ipaddr.isValid(address)) return address.slice(0, TEXT_MAX)
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const bits = (parsed as ipaddr.IPv6).parts.slice(0, IPV6_PREFIX_BITS / 16)
  return `${bits.map(part => part.toString(16)).join(':')}::/${IPV6_PREFIX_BITS}`
}
