/**
 * Documents and mails. Each kind of document is a pure function from plain data to a
 * `PaperDocument`, a list of layout blocks. `drawPdf` renders any of them, with the same bytes for
 * the same input, so that a stored file can be reproduced and compared by its hash. Texts are under
 * `texts/`, in every language of the API. Rendered files never change and are read through signed
 * addresses that expire soon. No document is rendered in a transaction: some are stored as data and
 * rendered when first read.
 */
export { documentAddress } from './address.ts'
export { billDocument } from './bill.ts'
export type { PaperDocument } from './blocks.ts'
export { cardStatementDocument } from './card-statement.ts'
export { contractDocument } from './contract.ts'
export { drawPdf } from './draw-pdf.ts'
export { ensureTermsDocuments } from './ensure-terms.ts'
export { lenderOf } from './lender.ts'
export type * from './mail-types.ts'
export {
  billSentMail,
  billWithdrawnMail,
  contractAmendedMail,
  contractReadyMail,
  creditNoteMail,
  debitAnnouncedMail,
  installmentLateMail,
  lateMail,
  mandateEndedMail,
  payoutDoneMail,
  planBrokenMail,
  postponedMail,
  refundReclaimedMail,
  repaidMail,
  revenueShareMail,
  termsSignedMail,
  toTransferMail,
} from './mails.ts'
export { mandateDocument, mandateWords } from './mandate.ts'
export { readTerms, type StoredTerms } from './queries.ts'
export { readFile } from './read-file.ts'
export { renderPending } from './render-pending.ts'
export { statementDocument } from './statement.ts'
export { type DocumentFacts, storeBundle, storeDocuments } from './store.ts'
export type { TermsInput, TermsOfService } from './terms.ts'
export { TERMS_VERSION, termsDocument, termsLanguages, termsOfService } from './terms.ts'
export type * from './types.ts'
