/**
 * Documents: what is put on paper or into a mail. Each kind of document is a pure function from
 * plain data to a `PaperDocument`, a list of layout blocks; `drawPdf` draws any of them, always
 * to the same bytes for the same input, so that a stored file can be made again and compared by
 * its hash. Texts stand by language under `texts/`; numbers in them come from the product and the
 * loan, never from the text. The lender's terms, loan agreements, mandates and bills exist in
 * French, German, Spanish, Dutch and English. What was drawn is kept as it was, and read through
 * signed addresses that are valid for a short while. Nothing is drawn in a transaction: terms and
 * mandates are kept as papers, and drawn when they are first read.
 */
export { documentAddress } from './address.ts'
export { billDocument } from './bill.ts'
export type { PaperDocument } from './blocks.ts'
export { cardStatementDocument } from './card-statement.ts'
export { contractDocument } from './contract.ts'
export { drawPdf } from './draw-pdf.ts'
export { drawUndrawn } from './draw-undrawn.ts'
export { keepTerms } from './keep-terms.ts'
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
} from './mails.ts'
export { mandateDocument, mandateWords } from './mandate.ts'
export { type KeptTerms, readTerms } from './queries.ts'
export { readFile } from './read-file.ts'
export { statementDocument } from './statement.ts'
export { type DocumentFacts, storeBundle, storeDocuments } from './store.ts'
export type { TermsInput, TermsOfService } from './terms.ts'
export { TERMS_VERSION, termsDocument, termsLanguages, termsOfService } from './terms.ts'
export type * from './types.ts'
