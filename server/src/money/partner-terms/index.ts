/**
 * Partners: through whom the lender lends. What is agreed with one on its fees, the company that it
 * is billed and paid as, and how what is collected for it is paid out, whatever it is for.
 * Borrowers without an address are written to at their partner's.
 */
export {
  findPartnerCompany,
  type PartnerCompany,
  type PartnerProduct,
  setPartnerCompany,
  setPartnerProduct,
} from './partner-terms.ts'
export { payOutToPartners } from './pay-out-to-partners.ts'
export { type Contact, contactsOf, mailBorrowers } from './write-to-borrowers.ts'
