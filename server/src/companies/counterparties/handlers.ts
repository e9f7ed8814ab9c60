/** Handlers of the operations on counterparties. */
import type { CounterpartyCreation } from '@headroom/contract'
import {
  type Context,
  type Handler,
  type PreparedHandler,
  Reply,
  type Validation,
} from '../../context.ts'
import { isServed } from '../../countries/index.ts'
import { problem } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import { declareCounterparty, lookUpParty, type PartyWithRegistryData } from './declare.ts'
import { findCounterparty, listCounterparties as list } from './queries.ts'
import { readParty } from './read-party.ts'

const createCounterparty: PreparedHandler<'createCounterparty', undefined, PartyWithRegistryData> =
  {
    read: (context, { body, caller }) => checkParty(context, caller.partner_id, body),
    handle: async (tx, { body, caller, meaning: known }) => {
      const { partner_id } = caller
      const { row, created } = await declareCounterparty(tx, partner_id, known, body.relation_types)
      const answer = await findCounterparty(tx, partner_id, row.id)
      return new Reply(answer!, { status: created ? 201 : 200 })
    },
  }

async function checkParty(
  context: Context,
  partner_id: string,
  given: WellFormed<CounterpartyCreation>,
): Promise<Validation<PartyWithRegistryData>> {
  const read = given.identifier ? readParty(given, '') : null
  if (!read?.ok || !read.party) return { faults: read && !read.ok ? read.faults : [] }
  const known = await lookUpParty(context, partner_id, read.party)
  const is_served = isServed(known.party.country)
  const unknown = { name: 'identifier', reason: 'names no company that the register knows' }
  const is_unknown = is_served && !known.company && !known.is_awaited
  return { faults: is_unknown ? [unknown] : [], meaning: known }
}

const listCounterparties: Handler<'listCounterparties'> = async (tx, call) =>
  list(tx, call.caller.partner_id, call.path, call.query)

const getCounterparty: Handler<'getCounterparty'> = async (tx, { params, caller }) => {
  const found = await findCounterparty(tx, caller.partner_id, params.counterparty_id)
  if (!found) throw problem('resource_unknown')
  return found
}

export const counterpartyHandlers = { createCounterparty, listCounterparties, getCounterparty }
