/** Who has signed in: asked once, known to every page. */
import type { Session } from '@headroom/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call, keepCsrfToken, Problem } from './api.ts'

export const SESSION = ['session']

async function ask(): Promise<Session | null> {
  try {
    const session = await call('getSession')
    keepCsrfToken(session.csrf_token)
    return session
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return null
    throw error
  }
}

/** The session, null where nobody has signed in, undefined while that is asked. */
export function useSession() {
  return useQuery({ queryKey: SESSION, queryFn: ask, staleTime: 60_000, retry: 1 })
}

/** The session on pages that exist only for who has signed in. */
export function useSignedIn(): Session {
  const { data } = useSession()
  if (!data) throw new Error('nobody has signed in')
  return data
}

/** Whether the person may change something, or only look. */
export function useMayWrite(): boolean {
  return useSignedIn().operator.role !== 'viewer'
}

/** Why the person may not do what is for administrators; null where it may. */
export function useAdminsOnly(): string | null {
  return useSignedIn().operator.role === 'admin' ? null : 'Only an administrator may do this.'
}

/** Whether the person is one of the lender's own. */
export function useIsLender(): boolean {
  return useSignedIn().partner === null
}

/** Sets or forgets the session, and with it everything that was read under the old one. */
export function useSetSession() {
  const client = useQueryClient()
  return (session: Session | null) => {
    keepCsrfToken(session?.csrf_token ?? '')
    client.setQueryData(SESSION, session)
    client.removeQueries({ predicate: query => query.queryKey[0] !== SESSION[0] })
  }
}
