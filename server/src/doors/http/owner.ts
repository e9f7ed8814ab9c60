/** On whose account a request uses memory and turns. */
import type { FastifyRequest } from 'fastify'
import { networkOf } from '../../platform/access/index.ts'

/** The partner, the operator, or for a caller not known yet the network of its address. */
export function ownerOf({ caller, person, ip }: FastifyRequest): string {
  return caller?.partner_id ?? person?.operator_id ?? networkOf(ip)
}
