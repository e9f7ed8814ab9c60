/** Answers `/`: browsers go to the console, programs get a list of addresses. */
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { isBrowser } from './console.ts'

const SEE_OTHER = 303

export function addFrontDoor(app: FastifyInstance, { config: { base_url } }: Context): void {
  const places = {
    name: 'Headroom',
    reference: `${base_url}/docs`,
    openapi: `${base_url}/openapi.json`,
    console: `${base_url}/console`,
    health: `${base_url}/readyz`,
  }
  app.get('/', async ({ headers }, reply) => {
    reply.header('vary', 'accept')
    return isBrowser(headers) ? reply.redirect('/console', SEE_OTHER) : places
  })
}
