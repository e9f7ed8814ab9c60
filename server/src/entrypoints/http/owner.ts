/** The owner to whom a request's memory and turns are charged. */
import type { FastifyRequest } from 'fastify'
import { networkOf } from '../../platform/access/index.ts'

/** The partner or operator, or the network of the address for a caller not yet identified. */
export function ownerOf({ caller, person, ip }: FastifyRequest): string {
  return caller?.partner_id ?? person?.operator_id ?? networkOf(ip)
}
