/** The owner to whom a request's memory and turns are charged. */
import type { FastifyRequest } from 'fastify'
import { networkOf } from '../../platform/access/index.ts'

/** Whether a request has a valid key or session, or comes from a known browser. */
export function isKnown({ caller, person, returning }: FastifyRequest): boolean {
  return caller !== null || person !== null || returning !== null
}

/**
 * The partner or operator; before sign-in, the known browser of an operator; otherwise the network
 * of the address.
 */
export function ownerOf({ caller, person, returning, ip }: FastifyRequest): string {
  const browser = returning === null ? networkOf(ip) : `browser of ${returning}`
  return caller?.partner_id ?? person?.operator_id ?? browser
}
