/**
 * Invoices: a seller's claims on a buyer, stored with their PDFs. A submitted invoice is checked at
 * once against its own data, the registry and existing invoices; a draft is not. Errors that the
 * partner can fix are listed (TO_EDIT), and an ineligible invoice is declined with a code. Any
 * other invoice becomes VERIFIED and can be financed. If an operator has to review it first, it
 * stays SUBMITTED until then. Data is extracted from uploaded PDFs as far as they are readable.
 * Untrusted files are read in a process with bounded memory and time.
 */
export type { InvoiceEdit } from './change-invoice.ts'
export { createInvoice, type NewInvoice } from './create-invoice.ts'
export { findDuplicateInvoice } from './find-duplicate.ts'
export { submission } from './handlers.ts'
export { type DescribedInvoice, prepareInvoice, readNewInvoice } from './prepare-invoice.ts'
export { FINANCES, findInvoice, invoiceViews } from './queries.ts'
export type { ReadInvoice } from './read-invoice.ts'
export { type InvoiceFinding, reviewInvoice } from './review-invoice.ts'
export type { InvoiceRow } from './store.ts'
