/**
 * Counterparties: the businesses that borrowers trade with, and how much may be lent against each.
 */
import { z } from 'zod'
import { events, operations } from './define.ts'
import { DenialCode } from './denial-codes.ts'
import {
  Address,
  AddressAnswer,
  Email,
  Id,
  IdentifierTypeOrName,
  page,
  pageQuery,
  QueryBoolean,
  repeatable,
  text,
} from './shared.ts'

export const RELATION_TYPES = [
  'BORROWER',
  'CLIENT',
  'DEBTOR',
  'MARKETPLACE_BUYER',
  'MARKETPLACE_SELLER',
  'SELF',
  'SUPPLIER',
] as const
const RelationType = z.enum(RELATION_TYPES)

const Contact = z
  .strictObject({
    email: Email,
    first_name: text(100),
    last_name: text(100),
    phone_number: text(30),
  })
  .meta({ id: 'CounterpartyContact' })

export const CounterpartyCreation = z
  .strictObject({
    identifier: text(100).nullish(),
    identifier_type: IdentifierTypeOrName.nullish(),
    name: text(200).nullish(),
    vat_number: text(20).nullish(),
    address: Address.nullish(),
    contact: Contact.nullish(),
  })
  .meta({ id: 'CounterpartyCreation' })
export type CounterpartyCreation = z.output<typeof CounterpartyCreation>

export const CreateCounterpartyBody = CounterpartyCreation.extend({
  identifier: text(100),
  identifier_type: IdentifierTypeOrName,
  relation_types: z.array(RelationType).min(1).max(RELATION_TYPES.length),
}).meta({ id: 'CreateCounterparty' })

export const Counterparty = z
  .object({
    id: Id,
    identifier: z.string(),
    identifier_type: IdentifierTypeOrName,
    name: z.string(),
    vat_number: z.string().nullable(),
    address: AddressAnswer.nullable(),
    contact: z
      .object({
        email: Email,
        first_name: z.string(),
        last_name: z.string(),
        phone_number: z.string(),
      })
      .nullable(),
    relation_types: z.array(RelationType).min(1),
    selected_for_financing: z.boolean(),
    credit_limit: z.object({
      available_amount: z.int(),
      max_amount: z.int(),
      max_amount_details: DenialCode.nullable(),
    }),
  })
  .meta({ id: 'Counterparty' })
export type Counterparty = z.infer<typeof Counterparty>

export const counterpartyOperations = operations({
  createCounterparty: {
    method: 'POST',
    path: '/counterparties',
    summary: 'Declare a counterparty',
    description:
      'The same company under any of its numbers is one counterparty: when it is known already ' +
      'the answer is 200, and it has the relation types of both.',
    scope: 'counterparties:write',
    gated: true,
    success: 201,
    body: CreateCounterpartyBody,
    answer: Counterparty,
    problems: [],
  },
  listCounterparties: {
    method: 'GET',
    path: '/counterparties',
    summary: 'List counterparties',
    description:
      'With an identifier, identifier_type says what it is; alone it asks for all that are kept ' +
      'under a number of that type.',
    scope: 'counterparties:read',
    gated: false,
    success: 200,
    query: z.strictObject({
      ...pageQuery,
      business_name: text(200).optional(),
      identifier: text(100).optional(),
      identifier_type: IdentifierTypeOrName.optional(),
      relation_types: repeatable(RelationType),
      selected_for_financing: QueryBoolean.optional(),
    }),
    answer: page(Counterparty),
    problems: [],
  },
  getCounterparty: {
    method: 'GET',
    path: '/counterparty/{counterparty_id}',
    summary: 'Read a counterparty',
    scope: 'counterparties:read',
    gated: false,
    success: 200,
    params: z.object({ counterparty_id: Id }),
    answer: Counterparty,
    problems: [],
  },
})

const limitEvent = { resource: 'counterparty', data: Counterparty } as const

export const counterpartyEvents = events({
  'CounterpartyCreditLimit.CREATED': limitEvent,
  'CounterpartyCreditLimit.UPDATED': limitEvent,
})
