/** Back office: borrowers, their KYB reviews, blocks and limits. */
import type { LimitByHand } from '@headroom/contract'
import { sql } from 'kysely'
import {
  blockBorrowerManually,
  prohibitBorrower,
  setCompliance,
  unblockBorrowerManually,
} from '../../companies/borrowers/index.ts'
import {
  approveOverride,
  endOverride,
  limitFaults,
  overrideLimit,
  readLimitsOf,
  rejectOverride,
} from '../../companies/credit-lines/index.ts'
import type { AdminHandlers } from '../../context.ts'
import {
  availableCreditOf,
  refreshRegistryStatuses,
  saveRegistryStatuses,
} from '../../credit/loans/index.ts'
import { ofEachPartner } from '../../platform/db/of-partner.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import { readWireDay, wireDay } from '../../platform/kit/dates.ts'
import { fromWire, toWire } from '../../platform/kit/money.ts'
import { problem } from '../../platform/kit/problem.ts'
import { partnerScopeOf } from './partner-scope.ts'

type Served =
  | 'getAvailableCredit'
  | 'reviewKyb'
  | 'blockBorrower'
  | 'unblockBorrower'
  | 'prohibitBorrower'
  | 'listLimits'
  | 'setLimit'
  | 'approveLimit'
  | 'rejectLimit'
  | 'endLimit'

export const borrowerWork: Pick<AdminHandlers, Served> = {
  getAvailableCredit: {
    orchestrate: ({ database }, { params, person }) => {
      const { partners } = partnerScopeOf(person)
      return transaction(database, { partners, read_only: true }, async tx => {
        const { partner_id } = await findOne(tx, params.borrower_id)
        partnerScopeOf(person, { partner_id })
        const found = await availableCreditOf(tx, { partner_id, id: params.borrower_id })
        assert(found, 'a borrower that is there has its credit')
        const { amount, outstanding, refused_as } = found
        return { amount: toWire(amount), outstanding: toWire(outstanding), refused_as }
      })
    },
  },

  reviewKyb: {
    orchestrate: async (context, { person, params, body }) => {
      if (context.ports.compliance.is_decided_in_files) {
        throw problem('state_conflict', "Two operators decide this in the company's file.")
      }
      const scope = { partners: '*', actor: person.operator_id } as const
      const known = await transaction(context.database, { ...scope, read_only: true }, tx =>
        findOne(tx, params.borrower_id),
      )
      // Loans waiting for the review are decided with the registry's current data.
      const statuses = await refreshRegistryStatuses(context, known.partner_id, params)
      await transaction(context.database, scope, async tx => {
        saveRegistryStatuses(tx, statuses)
        await setCompliance(tx, known, body.status, { by_step: true })
      })
      return null
    },
  },

  blockBorrower: async (tx, { params, body }) => {
    await blockBorrowerManually(tx, params.borrower_id, body.reason)
    return null
  },

  unblockBorrower: async (tx, { params }) => {
    await unblockBorrowerManually(tx, params.borrower_id)
    return null
  },

  prohibitBorrower: async (tx, { params, body }) => {
    await prohibitBorrower(tx, params.borrower_id, body.reason)
    return null
  },

  listLimits: async (tx, { params }) => ({ data: await readLimits(tx, params.borrower_id) }),

  setLimit: {
    check: async (tx, { body: { pool_amount, until_on, reason } }) => ({
      faults: await limitFaults(tx, {
        pool_amount: fromWire(pool_amount ?? 0),
        until_on: until_on ? readWireDay(until_on) : null,
        // A missing reason already has its own fault.
        reason: reason ?? '-',
      }),
    }),
    handle: async (tx, { body }) => {
      const { id, status } = await overrideLimit(tx, {
        credit_line_id: body.credit_line_id,
        pool_amount: fromWire(body.pool_amount),
        until_on: body.until_on ? readWireDay(body.until_on) : null,
        reason: body.reason,
      })
      return { id, status }
    },
  },

  approveLimit: async (tx, { params }) => {
    await approveOverride(tx, params.limit_id)
    return null
  },

  rejectLimit: async (tx, { params, body }) => {
    await rejectOverride(tx, params.limit_id, body.reason)
    return null
  },

  endLimit: async (tx, { params, body }) => {
    await endOverride(tx, params.limit_id, body.reason)
    return null
  },
}

/** Finds a borrower of any partner. Throws `resource_unknown`. */
async function findOne(tx: Tx, borrower_id: string) {
  const found = await tx.maybe(sql<{ borrower_id: string; partner_id: string }>`
    select id as borrower_id, partner_id from borrowers
    where ${ofEachPartner('borrowers')} and id = ${borrower_id}`)
  if (!found) throw problem('resource_unknown', `There is no borrower ${borrower_id}.`)
  return found
}

async function readLimits(tx: Tx, borrower_id: string): Promise<LimitByHand[]> {
  const limits = await readLimitsOf(tx, borrower_id)
  return limits.map(({ id, credit_line_id, status, pool_amount, until_on, ...limit }) => ({
    id,
    credit_line_id,
    reason: limit.reason,
    status,
    pool_amount: toWire(pool_amount),
    until: until_on && wireDay(until_on),
    proposed_by: limit.email,
    proposed_at: limit.proposed_at.toISOString(),
    approved_by: limit.approver,
  }))
}
