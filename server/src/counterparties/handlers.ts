/** Serves the operations on counterparties. */
import { CreateCounterpartyBody } from '@headroom/contract'
import { type Handler, type Inspect, type Prepared, Reply } from '../context.ts'
import { invalid, problem } from '../kit/problem.ts'
import { wellFormed } from '../kit/well-formed.ts'
import { declareCounterparty, type KnownParty, lookUpParty } from './declare.ts'
import { findCounterparty, listCounterparties as list } from './queries.ts'
import { readParty } from './read-party.ts'
import { SERVED_COUNTRIES } from './rules.ts'

/** A wrong number is told together with what the schema refuses. */
const inspect: Inspect = async (_context, _caller, body) => {
  const { relation_types: _, ...fields } = wellFormed(CreateCounterpartyBody.shape, body)
  if (!fields.identifier) return []
  const read = readParty(fields, '')
  return read.ok ? [] : read.faults
}

const createCounterparty: Prepared<'createCounterparty', KnownParty> = {
  inspect,
  prepare: async (context, { body }) => {
    const read = readParty(body, '')
    if (!read.ok) throw invalid(...read.faults)
    const known = await lookUpParty(context, read.party!)
    const served = SERVED_COUNTRIES.includes(known.party.country ?? '')
    if (served && !known.company) {
      throw invalid({ name: 'identifier', reason: 'names no company that the register knows' })
    }
    return known
  },
  handle: async (tx, { body, caller }, _context, known) => {
    const { partner_id } = caller
    const { row, created } = await declareCounterparty(tx, partner_id, known, body.relation_types)
    const answer = await findCounterparty(tx, partner_id, row.id)
    return new Reply(answer!, { status: created ? 201 : 200 })
  },
}

const listCounterparties: Handler<'listCounterparties'> = async (tx, call) =>
  list(tx, call.caller.partner_id, call.path, call.query)

const getCounterparty: Handler<'getCounterparty'> = async (tx, { params, caller }) => {
  const found = await findCounterparty(tx, caller.partner_id, params.counterparty_id)
  if (!found) throw problem('resource_unknown')
  return found
}

export const counterpartyHandlers = { createCounterparty, listCounterparties, getCounterparty }
