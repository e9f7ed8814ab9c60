/** Checks grants of permissions: no caller can grant more than it has. */
import { scopes as allScopes, type Scope } from '@headroom/contract'
import { problem } from '../kit/problem.ts'
import type { Caller } from './caller.ts'

/** The permissions of a key and the kind of its caller. `scopes` null means all scopes. */
export interface KeyPermissions {
  readonly actor: 'human' | 'agent'
  readonly scopes: readonly Scope[] | null
}

/** A stored list of scopes as a set; null means all scopes. */
export function scopeSet(scopes: readonly Scope[] | null): ReadonlySet<Scope> {
  return new Set(scopes ?? allScopes)
}

/**
 * The scopes of a new key: those `requested`, or the creator's own if none are requested. Null
 * means all scopes, including those of later versions.
 */
export function grantedScopes(
  creator: Pick<Caller, 'scopes'>,
  requested: readonly Scope[] | null,
): Scope[] | null {
  if (requested !== null) return [...new Set(requested)]
  return creator.scopes.size === allScopes.length ? null : [...creator.scopes]
}

/** Throws `scope_missing` when a key has a scope that `caller` lacks. */
export function requireScopes(
  caller: Pick<Caller, 'scopes'>,
  scopes: readonly Scope[] | null,
): void {
  const missing = [...scopeSet(scopes)].filter(scope => !caller.scopes.has(scope))
  if (missing.length === 0) return
  const detail = `You lack ${missing.join(', ')}: a key manages only keys within its own scopes.`
  throw problem('scope_missing', detail)
}

/**
 * Throws `scope_missing` when `creator` would grant more than it has: a scope it lacks, or, as an
 * agent, a human's key.
 */
export function requirePermissions(
  creator: Pick<Caller, 'actor' | 'scopes'>,
  powers: KeyPermissions,
): void {
  requireScopes(creator, powers.scopes)
  if (creator.actor === 'agent' && powers.actor === 'human') {
    throw problem('scope_missing', 'An agent cannot hand out keys of humans.')
  }
}
