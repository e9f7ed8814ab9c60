/**
 * Invoices: what a seller asks of a buyer, kept with its PDF. A draft waits; a submitted invoice is
 * checked at once against itself, the register and the invoices that are there. What its partner
 * can put right is named (TO_EDIT), what cannot be financed is declined with a code, the rest is
 * VERIFIED and loans may be drawn on it. An uploaded PDF tells its own data, as far as it can be
 * read. Other people's files are read in a thread with bounded memory and time.
 */
export { createInvoice, type NewInvoice } from './create-invoice.ts'
export { followInvoiceLoan } from './follow-loans.ts'
export { prepareInvoice } from './prepare-invoice.ts'
export { invoiceViews, VOID_LOAN } from './queries.ts'
