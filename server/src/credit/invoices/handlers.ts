/** Handlers of the operations on invoices. */
import type { UpdateInvoiceBody, UploadedFile } from '@headroom/contract'
import { lockExposure } from '../../companies/credit-lines/index.ts'
import type { Context, Handler, PreparedHandler } from '../../context.ts'
import type { Caller } from '../../platform/access/index.ts'
import { keysOf } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import {
  type InvoiceEdit,
  lockPartnerInvoice,
  deleteInvoice as remove,
  submitInvoice as submit,
  updateInvoice as update,
} from './change-invoice.ts'
import { createInvoice as create, lookUpParties, type NewInvoice } from './create-invoice.ts'
import { listInvoices as list } from './list-invoices.ts'
import {
  type DescribedInvoice,
  prepareInvoice,
  readNewInvoice,
  readUpload,
} from './prepare-invoice.ts'
import { financingOf, findInvoice } from './queries.ts'
import { type ReadInvoice, readInvoice } from './read-invoice.ts'

const createInvoice: PreparedHandler<'createInvoice', NewInvoice, DescribedInvoice> = {
  read: (_context, { body, caller }) => readNewInvoice(caller.partner_id, body),
  prepare: (context, { body, caller, meaning }) =>
    prepareInvoice(context, caller.partner_id, meaning, body),
  handle: async (tx, { caller }, _context, input) => {
    const id = await create(tx, caller.partner_id, input)
    return viewOf(tx, caller.partner_id, id)
  },
}

const uploadInvoice: PreparedHandler<'uploadInvoice', NewInvoice, DescribedInvoice> = {
  read: (_context, { body, query: { buyer, seller }, caller }) =>
    readUpload(caller.partner_id, { file: body.file as UploadedFile | undefined, buyer, seller }),
  prepare: (context, { body: { metadata = {} }, caller, meaning }) =>
    prepareInvoice(context, caller.partner_id, meaning, { metadata }),
  handle: async (tx, { caller }, _context, input) => {
    const id = await create(tx, caller.partner_id, input)
    return viewOf(tx, caller.partner_id, id)
  },
}

type Editing = { readonly body: UpdateInvoiceBody; readonly caller: Caller }

const editing = {
  read: (_context: Context, { body }: { readonly body: WellFormed<UpdateInvoiceBody> }) => {
    const read = readInvoice(body)
    return { faults: read.faults, meaning: read }
  },
  prepare: async (
    context: Context,
    { body, caller, meaning: read }: Editing & { readonly meaning: ReadInvoice },
  ) => {
    const metadata = body.metadata === null ? {} : body.metadata
    return { read, ...(await lookUpParties(context, caller.partner_id, read)), metadata }
  },
}

const updateInvoice: PreparedHandler<'updateInvoice', InvoiceEdit, ReadInvoice> = {
  ...editing,
  handle: async (tx, { params, caller }, _context, edit) => {
    const invoice = await lockPartnerInvoice(tx, caller.partner_id, params.invoice_id)
    await update(tx, invoice, edit)
    return viewOf(tx, caller.partner_id, invoice.id)
  },
}

/**
 * Wrapped by the loans module, which first refreshes the registry data on which decisions on
 * waiting loans are based.
 */
export const submission = {
  ...editing,
  handle: async (tx, { params, caller }, _context, edit) => {
    const { partner_id } = caller
    // Locks from the partner down, so that no concurrent loan request is missed.
    const { borrower_ids } = await financingOf(tx, { partner_id, id: params.invoice_id })
    await lockExposure(tx, [partner_id], keysOf(partner_id, borrower_ids))
    const invoice = await lockPartnerInvoice(tx, partner_id, params.invoice_id)
    await update(tx, invoice, edit)
    await submit(tx, await lockPartnerInvoice(tx, partner_id, invoice.id))
    return viewOf(tx, partner_id, invoice.id)
  },
} satisfies PreparedHandler<'submitInvoice', InvoiceEdit, ReadInvoice>

const deleteInvoice: Handler<'deleteInvoice'> = async (tx, { params, caller }) => {
  const invoice = await lockPartnerInvoice(tx, caller.partner_id, params.invoice_id)
  await remove(tx, invoice)
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
  deleteInvoice,
  getInvoice,
  listInvoices,
}

async function viewOf(tx: Tx, partner_id: string, id: string) {
  const view = await findInvoice(tx, partner_id, id)
  if (!view) throw problem('resource_unknown')
  return view
}
