/** What is answered where nothing is served: which methods an address has, if any. */
import type { FastifyInstance } from 'fastify'
import { problem } from '../kit/problem.ts'

/** Refuses unknown addresses and methods; answers OPTIONS for those that exist. */
export function addUnknown(app: FastifyInstance): void {
  const known: { pattern: RegExp; method: string }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`)
    for (const name of [method].flat()) known.push({ pattern, method: name })
  })
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length > 0) {
      reply.header('allow', [...new Set([...methods, 'OPTIONS'])].sort().join(', '))
      if (request.method === 'OPTIONS') return reply.code(204).send()
    }
    throw problem('route_unknown', `Nothing is served at ${request.method} ${path}.`)
  })
}
