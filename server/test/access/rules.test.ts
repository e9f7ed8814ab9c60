/** Callers can only grant scopes that they hold. */
import { type Scope, scopes } from '@headroom/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { grantedScopes, requirePermissions, scopeSet } from '../../src/platform/access/rules.ts'

const someScopes = fc.uniqueArray(fc.constantFrom(...scopes), { minLength: 1 })

function covers(
  creator: { actor: 'human' | 'agent'; scopes: readonly Scope[] | null },
  input: object,
) {
  try {
    requirePermissions({ ...creator, scopes: scopeSet(creator.scopes) }, input as never)
    return true
  } catch {
    return false
  }
}

describe('granting scopes', () => {
  it('gives a key without explicit scopes those of its creator', () => {
    expect(grantedScopes({ scopes: scopeSet(null) }, null)).toBeNull()
    expect(grantedScopes({ scopes: scopeSet(['loans:read']) }, null)).toEqual(['loans:read'])
    expect(grantedScopes({ scopes: scopeSet(null) }, ['loans:read', 'loans:read'])).toEqual([
      'loans:read',
    ])
  })

  it('is allowed exactly when the grantor holds every scope', () => {
    fc.assert(
      fc.property(someScopes, someScopes, (mine, requested) => {
        const expected = requested.every(scope => mine.includes(scope))
        expect(
          covers({ actor: 'human', scopes: mine }, { actor: 'human', scopes: requested }),
        ).toBe(expected)
      }),
    )
    expect(
      covers({ actor: 'human', scopes: ['keys:write'] }, { actor: 'agent', scopes: null }),
    ).toBe(false)
  })

  it('never turns an agent into a human', () => {
    expect(covers({ actor: 'agent', scopes: null }, { actor: 'human', scopes: null })).toBe(false)
    expect(covers({ actor: 'agent', scopes: null }, { actor: 'agent', scopes: null })).toBe(true)
  })
})
