/** Finds the operation that a planned method and path refer to. Pure. */
import { type Operation, type OperationId, operations } from '@headroom/contract'
import { hasReference } from './references.ts'

export interface ResolvedOperation {
  readonly id: OperationId
  readonly operation: Operation
  /** Decoded values of the placeholders; may contain references. */
  readonly params: Record<string, string>
}

interface Address {
  readonly id: OperationId
  readonly method: string
  readonly segments: readonly string[]
}

/** The paths of all operations that a decision can contain, including aliases. */
const addresses: readonly Address[] = (
  Object.entries(operations) as [OperationId, Operation][]
).flatMap(([id, { method, path, aliases = [], gated }]) =>
  gated
    ? [{ method, path }, ...aliases].map(alias => ({
        id,
        method: alias.method ?? method,
        segments: alias.path.split('/').slice(1),
      }))
    : [],
)

/** The gated operation at a path without query; null if there is none. */
export function findOperation(method: string, path: string): ResolvedOperation | null {
  const segments = decoded(path)
  if (!segments) return null
  const fits = addresses
    .filter(a => a.method === method && a.segments.length === segments.length)
    .filter(a => a.segments.every((name, i) => isPlaceholder(name) || name === segments[i]))
  // Like the router: a literal segment takes precedence over a placeholder.
  const [address] = fits.toSorted((a, b) => placeholders(a) - placeholders(b))
  if (!address) return null
  const named = address.segments.flatMap((name, i) =>
    isPlaceholder(name) ? [[name.slice(1, -1), segments[i]!] as const] : [],
  )
  const operation: Operation = operations[address.id]
  return { id: address.id, operation, params: Object.fromEntries(named) }
}

const isPlaceholder = (segment: string) => segment.startsWith('{') && !hasReference(segment)
const placeholders = ({ segments }: Address) => segments.filter(isPlaceholder).length

function decoded(path: string): string[] | null {
  if (!path.startsWith('/') || /[?#]/.test(path)) return null
  try {
    const segments = path.split('/').slice(1).map(decodeURIComponent)
    return segments.includes('') ? null : segments
  } catch {
    return null
  }
}
