/** Serves the operations on data of companies. */
import { type Answer, CreateDataBatchBody } from '@headroom/contract'
import type { Handler, Prepared } from '../context.ts'
import { wellFormed } from '../kit/well-formed.ts'
import { closeDataBatch as close } from './close-batch.ts'
import { DATA_TYPE_INFO } from './data-types.ts'
import { ACCOUNTS, ACTIVITY, INVOICES, TRANSACTIONS } from './kinds.ts'
import { batchFaults, openDataBatch } from './open-batch.ts'
import { findPublicData as findCompanies } from './public-data.ts'
import { inspectShared, shareData } from './share-data.ts'

/** Nothing outside is asked; only the inspection needs a place. */
const nothing = async () => {}

const createDataBatch: Prepared<'createDataBatch', void> = {
  inspect: async (_context, _caller, body) =>
    batchFaults(wellFormed(CreateDataBatchBody.shape, body)),
  prepare: nothing,
  handle: (tx, { body, caller }) => openDataBatch(tx, caller.caller_id, caller.partner_id, body),
}

const closeDataBatch: Handler<'closeDataBatch'> = (tx, { params, caller }) =>
  close(tx, caller.caller_id, caller.partner_id, params.batch_id)

const shareAccounts: Prepared<'shareAccounts', void> = {
  inspect: inspectShared(ACCOUNTS),
  prepare: nothing,
  handle: async (tx, { body, caller }) => {
    await shareData(tx, caller.caller_id, caller.partner_id, ACCOUNTS, body)
    return null
  },
}

const shareTransactions: Prepared<'shareTransactions', void> = {
  inspect: inspectShared(TRANSACTIONS),
  prepare: nothing,
  handle: async (tx, { body, caller }) => {
    await shareData(tx, caller.caller_id, caller.partner_id, TRANSACTIONS, body)
    return null
  },
}

const shareInvoices: Prepared<'shareInvoices', void> = {
  inspect: inspectShared(INVOICES),
  prepare: nothing,
  handle: async (tx, { body, caller }) => {
    await shareData(tx, caller.caller_id, caller.partner_id, INVOICES, body)
    return null
  },
}

const shareActivity: Prepared<'shareActivity', void> = {
  inspect: inspectShared(ACTIVITY),
  prepare: nothing,
  handle: async (tx, { body, caller }) => {
    await shareData(tx, caller.caller_id, caller.partner_id, ACTIVITY, body)
    return null
  },
}

const findPublicData: Prepared<'findPublicData', Answer<'findPublicData'>> = {
  prepare: (context, { query }) => findCompanies(context, query),
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
