/**
 * A bank's files (ISO 20022). Reads camt.053, camt.054 and pain.002 without booking them, and
 * writes pain.001 and pain.008.
 */
export { type BankFileSummary, summarizeBankFile, unreadable } from './reading/summary.ts'
export {
  BANK_PROFILES,
  type BankProfile,
  type BankProfileName,
  fileNameOf,
} from './writing/bank-profile.ts'
export { checkOrder, checkOrderFile } from './writing/check-order-file.ts'
export { checkOrderXml } from './writing/check-order-xml.ts'
export { type Fault, sayFault } from './writing/faults.ts'
export {
  type DebitGroup,
  type DebitOrder,
  type DebitTerms,
  endToEndIdOf,
  type OrderFile,
  type Party,
  partyOf,
  paymentIdOf,
  type Remittance,
  remittanceOf,
  type Scheme,
  type SequenceType,
  type TransferGroup,
  type TransferOrder,
  type TransferTerms,
} from './writing/order-file.ts'
export { FaultyOrderFile, writeOrderFile } from './writing/write-order-file.ts'
