/** The session of the signed-in user, shared by all pages. */
import type { Session } from '@headroom/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call, keepCsrfToken, Problem } from './api.ts'

export const SESSION = ['session']

async function readSession(): Promise<Session | null> {
  try {
    const session = await call('getSession')
    keepCsrfToken(session.csrf_token)
    return session
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return null
    throw error
  }
}

/** The session; data is null if signed out, undefined while loading. */
export function useSession() {
  return useQuery({ queryKey: SESSION, queryFn: readSession, staleTime: 60_000, retry: 1 })
}

/** The session. Throws if signed out, which cannot happen on a page that requires a session. */
export function useSignedIn(): Session {
  const { data } = useSession()
  if (!data) throw new Error('nobody has signed in')
  return data
}

export function useMayWrite(): boolean {
  return useSignedIn().operator.role !== 'viewer'
}

/** Why an administrator's action is unavailable; null for an administrator. */
export function useAdminsOnly(): string | null {
  return useSignedIn().operator.role === 'admin' ? null : 'Only an administrator may do this.'
}

export function useIsLender(): boolean {
  return useSignedIn().partner === null
}

/** Returns a function that sets or clears the session and drops all data of the previous one. */
export function useSetSession() {
  const client = useQueryClient()
  return (session: Session | null) => {
    keepCsrfToken(session?.csrf_token ?? '')
    client.setQueryData(SESSION, session)
    client.removeQueries({ predicate: query => query.queryKey[0] !== SESSION[0] })
  }
}
