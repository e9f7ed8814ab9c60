/** Answers unknown paths and methods, listing the methods a path supports. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'

interface Served {
  readonly pattern: RegExp
  readonly method: string
}

/**
 * Refuses unknown paths (`route_unknown`) and methods (`method_unsupported`) before reading the
 * body, and answers OPTIONS for existing paths.
 */
export function addUnknown(app: FastifyInstance): void {
  const served: Served[] = []
  app.addHook('onRoute', ({ url, method }) => {
    for (const name of [method].flat()) served.push({ pattern: patternOf(url), method: name })
  })
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return
    const refused = refusal(served, request, reply)
    if (refused) throw refused
    return reply.code(204).send()
  })
  // A matching route may still find no content, for example if a file is missing.
  app.setNotFoundHandler(async request => {
    throw unknown(request)
  })
}

/** The paths of a route: a parameter matches one segment, a star the rest. */
function patternOf(url: string): RegExp {
  const pattern = url
    .replaceAll(/[.+?^$()|[\]\\]/g, '\\$&')
    .replaceAll(/:\w+/g, '[^/]+')
    .replaceAll('*', '.*')
  return new RegExp(`^${pattern}$`)
}

/** The problem for a path or method without a route; null for OPTIONS of an existing path. */
function refusal(
  served: readonly Served[],
  request: FastifyRequest,
  reply: FastifyReply,
): ProblemError | null {
  const path = request.url.split('?', 1)[0]!
  const methods = served.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  if (methods.length === 0) return unknown(request)
  const allowed = [...new Set([...methods, 'OPTIONS'])].sort().join(', ')
  reply.header('allow', allowed)
  if (request.method === 'OPTIONS') return null
  const detail = `${path} does not serve ${request.method}. It serves ${allowed}.`
  return problem('method_unsupported', detail)
}

function unknown({ method, url }: FastifyRequest): ProblemError {
  return problem('route_unknown', `Nothing is served at ${method} ${url.split('?', 1)[0]}.`)
}
