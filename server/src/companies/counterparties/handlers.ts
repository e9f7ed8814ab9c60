/** Serves the operations on counterparties. */
import type { CounterpartyCreation } from '@headroom/contract'
import { type Context, type Handler, type Prepared, Reply } from '../../context.ts'
import { isServed } from '../../countries/index.ts'
import { faultsIn, invalid, problem } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import { declareCounterparty, type KnownParty, lookUpParty } from './declare.ts'
import { findCounterparty, listCounterparties as list } from './queries.ts'
import { readParty } from './read-party.ts'

const createCounterparty: Prepared<'createCounterparty', KnownParty> = {
  inspect: (context, { body, caller }) =>
    body.identifier ? faultsIn(() => learn(context, caller.partner_id, body)) : Promise.resolve([]),
  prepare: (context, { body, caller }) => learn(context, caller.partner_id, body),
  handle: async (tx, { body, caller }, _context, known) => {
    const { partner_id } = caller
    const { row, created } = await declareCounterparty(tx, partner_id, known, body.relation_types)
    const answer = await findCounterparty(tx, partner_id, row.id)
    return new Reply(answer!, { status: created ? 201 : 200 })
  },
}

async function learn(
  context: Context,
  partner_id: string,
  given: WellFormed<CounterpartyCreation>,
): Promise<KnownParty> {
  const read = readParty(given, '')
  if (!read.ok) throw invalid(read.faults)
  const known = await lookUpParty(context, partner_id, read.party!)
  const served = isServed(known.party.country)
  if (served && !known.company) {
    throw invalid({ name: 'identifier', reason: 'names no company that the register knows' })
  }
  return known
}

const listCounterparties: Handler<'listCounterparties'> = async (tx, call) =>
  list(tx, call.caller.partner_id, call.path, call.query)

const getCounterparty: Handler<'getCounterparty'> = async (tx, { params, caller }) => {
  const found = await findCounterparty(tx, caller.partner_id, params.counterparty_id)
  if (!found) throw problem('resource_unknown')
  return found
}

export const counterpartyHandlers = { createCounterparty, listCounterparties, getCounterparty }
