/**
 * Terms agreed with partners: their fees, the company that is billed and paid, and the payout of
 * money collected for them. Mail for a borrower without an address goes to its partner,
 * and operators are alerted to mail that was refused.
 */
export { alertRefusedMail } from './alert-refused-mail.ts'
export {
  findPartnerCompany,
  type PartnerCompany,
  type PartnerProduct,
  setPartnerCompany,
  setPartnerProduct,
} from './partner-terms.ts'
export { payOutToPartners } from './pay-out-to-partners.ts'
export { requestTransfers } from './request-transfers.ts'
export type { FeesPayer } from './rules.ts'
export { verifyPartnerTerms } from './verify.ts'
export { type Contact, contactsOf, mailBorrowers } from './write-to-borrowers.ts'
