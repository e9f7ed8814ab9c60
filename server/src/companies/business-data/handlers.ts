/** Handlers of the operations on company data. */
import type { Answer } from '@headroom/contract'
import type { CheckedHandler, Handler, PreparedHandler } from '../../context.ts'
import { closeDataBatch as close } from './close-batch.ts'
import { DATA_TYPE_INFO } from './data-types.ts'
import { ACCOUNTS, ACTIVITY, INVOICES, TRANSACTIONS } from './kinds.ts'
import { batchFaults, openDataBatch } from './open-batch.ts'
import { findPublicData as findCompanies } from './public-data.ts'
import { checkShared, shareData } from './share-data.ts'

const createDataBatch: CheckedHandler<'createDataBatch'> = {
  check: (_tx, { body }) => ({ faults: batchFaults(body) }),
  handle: (tx, { body, caller }) => openDataBatch(tx, caller.partner_id, body),
}

const closeDataBatch: Handler<'closeDataBatch'> = (tx, { params, caller }) =>
  close(tx, caller.partner_id, params.batch_id)

const shareAccounts: CheckedHandler<'shareAccounts'> = {
  check: (tx, { body, caller }) => checkShared(tx, caller.partner_id, ACCOUNTS, body),
  handle: async (tx, { body, caller }) => {
    await shareData(tx, caller.partner_id, ACCOUNTS, body)
    return null
  },
}

const shareTransactions: CheckedHandler<'shareTransactions'> = {
  check: (tx, { body, caller }) => checkShared(tx, caller.partner_id, TRANSACTIONS, body),
  handle: async (tx, { body, caller }) => {
    await shareData(tx, caller.partner_id, TRANSACTIONS, body)
    return null
  },
}

const shareInvoices: CheckedHandler<'shareInvoices'> = {
  check: (tx, { body, caller }) => checkShared(tx, caller.partner_id, INVOICES, body),
  handle: async (tx, { body, caller }) => {
    await shareData(tx, caller.partner_id, INVOICES, body)
    return null
  },
}

const shareActivity: CheckedHandler<'shareActivity'> = {
  check: (tx, { body, caller }) => checkShared(tx, caller.partner_id, ACTIVITY, body),
  handle: async (tx, { body, caller }) => {
    await shareData(tx, caller.partner_id, ACTIVITY, body)
    return null
  },
}

const findPublicData: PreparedHandler<'findPublicData', Answer<'findPublicData'>> = {
  prepare: (context, { query, caller }) => findCompanies(context, caller.partner_id, query),
  handle: async (_tx, _call, _context, found) => found,
}

const getDataType: Handler<'getDataType'> = async (_tx, { params: { data_type } }) => ({
  data_type,
  ...DATA_TYPE_INFO[data_type],
})

export const businessDataHandlers = {
  createDataBatch,
  closeDataBatch,
  shareAccounts,
  shareTransactions,
  shareInvoices,
  shareActivity,
  findPublicData,
  getDataType,
}
