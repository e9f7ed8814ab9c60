/**
 * Resolves the names of webhook targets without getaddrinfo. Node runs getaddrinfo on threads that
 * the whole process shares, two lookups at a time. A name whose server never answers would occupy
 * one of them for many seconds, and the lookups of the database would wait behind it.
 */
import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import ipaddr from 'ipaddr.js'

export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

/** Resolves a name to its addresses. Stops when the signal is aborted. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly Address[]>

export interface Names {
  /** The machine's hosts file: addresses by lower-case name. */
  readonly hosts: ReadonlyMap<string, readonly Address[]>
  /** Replaces the DNS servers of the machine. */
  readonly servers?: readonly string[]
}

/** The wait for a DNS server in milliseconds; the second try waits twice as long. */
const DNS = { timeout: 2000, tries: 2 }
/** How many addresses of a name and family are considered; an answer may have thousands. */
const ADDRESSES_MAX = 16
const LOOPBACK: readonly Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

let machine: Names | undefined

/** Resolves with the names of this machine. Its hosts file is read once. */
export const resolveName: Resolve = (hostname, signal) => {
  machine ??= { hosts: readHosts() }
  return resolveWith(machine, hostname, signal)
}

/**
 * `localhost` and names below it are this machine (RFC 6761). Other names are looked up in the
 * hosts file, then at the DNS servers (IPv4 and IPv6) exactly as given, without search domains or
 * other name services. Throws the DNS error if no address is known.
 */
export async function resolveWith(
  { hosts, servers }: Names,
  hostname: string,
  signal: AbortSignal,
): Promise<readonly Address[]> {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK
  const known = hosts.get(name)
  if (known) return known
  signal.throwIfAborted()
  // A resolver for each name, so that canceling one lookup cancels no other.
  const resolver = new Resolver(DNS)
  if (servers) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap((answer, i) =>
      answer.status === 'rejected'
        ? []
        : answer.value.slice(0, ADDRESSES_MAX).map(address => toAddress(address, i === 0 ? 4 : 6)),
    )
    if (found.length === 0) throw answers.find(a => a.status === 'rejected')?.reason
    return found
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

function toAddress(address: string, family: 4 | 6): Address {
  return { address, family }
}

function readHosts(): Map<string, Address[]> {
  try {
    return parseHosts(readFileSync('/etc/hosts', 'utf8'))
  } catch {
    // The machine may have no such file.
    return new Map()
  }
}

/** Parses a hosts file: on each line an address and its names; comments begin with `#`. */
export function parseHosts(text: string): Map<string, Address[]> {
  const hosts = new Map<string, Address[]>()
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (!address || !ipaddr.isValid(address)) continue
    const family = ipaddr.parse(address).kind() === 'ipv4' ? 4 : 6
    for (const name of names) {
      const key = name.toLowerCase()
      hosts.set(key, [...(hosts.get(key) ?? []), { address, family }])
    }
  }
  return hosts
}
