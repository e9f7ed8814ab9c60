/** Serves the operations on invoices. */
import { CreateInvoiceBody, UpdateInvoiceBody } from '@headroom/contract'
import type { Handler, Inspect, Prepared } from '../context.ts'
import type { Tx } from '../db/transaction.ts'
import { problem } from '../kit/problem.ts'
import { wellFormed } from '../kit/well-formed.ts'
import {
  type InvoiceEdit,
  lockOwn,
  refuseFaults,
  deleteInvoice as remove,
  submitInvoice as submit,
  updateInvoice as update,
} from './change-invoice.ts'
import { createInvoice as create, lookUpParties, type NewInvoice } from './create-invoice.ts'
import { listInvoices as list } from './list-invoices.ts'
import { prepareInvoice, prepareUpload } from './prepare-invoice.ts'
import { findInvoice } from './queries.ts'
import { readInvoice } from './read-invoice.ts'

/** Wrong numbers and accounts are told together with what the schema refuses. */
const inspectCreate: Inspect = async (_context, _caller, body) => {
  const { document: _, ...fields } = body
  return readInvoice(wellFormed(CreateInvoiceBody.shape, fields)).faults
}
const inspectUpdate: Inspect = async (_context, _caller, body) =>
  readInvoice(wellFormed(UpdateInvoiceBody.shape, body)).faults

const createInvoice: Prepared<'createInvoice', NewInvoice> = {
  inspect: inspectCreate,
  prepare: (context, { body }) => prepareInvoice(context, body),
  handle: async (tx, { caller }, _context, wish) => {
    const id = await create(tx, caller.caller_id, caller.partner_id, wish)
    return viewOf(tx, caller.partner_id, id)
  },
}

const uploadInvoice: Prepared<'uploadInvoice', NewInvoice> = {
  prepare: (context, { body, query: { buyer, seller } }) =>
    prepareUpload(context, { file: body.file, metadata: body.metadata ?? {}, buyer, seller }),
  handle: async (tx, { caller }, _context, wish) => {
    const id = await create(tx, caller.caller_id, caller.partner_id, wish)
    return viewOf(tx, caller.partner_id, id)
  },
}

const updateInvoice: Prepared<'updateInvoice', InvoiceEdit> = {
  inspect: inspectUpdate,
  prepare: async (context, { body }) => {
    const read = readInvoice(body)
    refuseFaults(read)
    const metadata = body.metadata === null ? {} : body.metadata
    return { read, ...(await lookUpParties(context, read)), metadata }
  },
  handle: async (tx, { params, caller }, _context, edit) => {
    const invoice = await lockOwn(tx, caller.partner_id, params.invoice_id)
    await update(tx, caller.caller_id, invoice, edit)
    return viewOf(tx, caller.partner_id, invoice.id)
  },
}

const submitInvoice: Handler<'submitInvoice'> = async (tx, { params, caller }) => {
  const invoice = await lockOwn(tx, caller.partner_id, params.invoice_id)
  await submit(tx, caller.caller_id, invoice)
  return viewOf(tx, caller.partner_id, invoice.id)
}

const deleteInvoice: Handler<'deleteInvoice'> = async (tx, { params, caller }) => {
  const invoice = await lockOwn(tx, caller.partner_id, params.invoice_id)
  await remove(tx, caller.caller_id, invoice)
  return viewOf(tx, caller.partner_id, invoice.id)
}

const getInvoice: Handler<'getInvoice'> = async (tx, { params, caller }) =>
  viewOf(tx, caller.partner_id, params.invoice_id)

const listInvoices: Handler<'listInvoices'> = async (tx, call) =>
  list(tx, call.caller.partner_id, call.path, call.query)

export const invoiceHandlers = {
  createInvoice,
  uploadInvoice,
  updateInvoice,
  submitInvoice,
  deleteInvoice,
  getInvoice,
  listInvoices,
}

async function viewOf(tx: Tx, partner_id: string, id: string) {
  const view = await findInvoice(tx, partner_id, id)
  if (!view) throw problem('resource_unknown')
  return view
}
