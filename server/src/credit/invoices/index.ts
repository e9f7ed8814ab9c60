/**
 * Invoices: what a seller asks of a buyer, kept with its PDF. A draft waits; a submitted invoice is
 * checked at once against itself, the register and the invoices that are there. What its partner
 * can put right is named (TO_EDIT), what cannot be financed is declined with a code, the rest is
 * VERIFIED and loans may be drawn on it; where the lender looks at a partner's invoices, it waits
 * as SUBMITTED for that. An uploaded PDF tells its own data, as far as it can be read. Other
 * people's files are read in a process with bounded memory and time.
 */
export type { InvoiceEdit } from './change-invoice.ts'
export { createInvoice, type NewInvoice } from './create-invoice.ts'
export { findKnown } from './find-known.ts'
export { submission } from './handlers.ts'
export { type DescribedInvoice, prepareInvoice, readNewInvoice } from './prepare-invoice.ts'
export { FINANCES, findInvoice, invoiceViews } from './queries.ts'
export type { ReadInvoice } from './read-invoice.ts'
export { type InvoiceFinding, reviewInvoice } from './review-invoice.ts'
export type { InvoiceRow } from './store.ts'
