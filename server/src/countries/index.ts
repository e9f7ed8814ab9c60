/**
 * Countries: what differs between them. Each folder contains a country's company numbers, the law
 * that contracts and bills cite, its borrowers' languages, and its sandbox data. `folders.ts` lists
 * the folders: the service does not compile while a country in the contract's list
 * (`contract/src/countries.ts`) has none. The rest of the service looks countries up by code.
 */
export type { CountryCode } from '@headroom/contract'
export { countryCode, registerCountry } from './codes.ts'
export type {
  ByLanguage,
  Country,
  IbanLayout,
  SandboxCountry,
  SandboxLanguage,
  SandboxPlace,
} from './country.ts'
export { creditorId, parseCreditorId } from './creditor-id.ts'
export type {
  IdentifierResult,
  IdentifierType,
  ParsedIdentifier,
  RefusedIdentifier,
} from './identifier.ts'
export {
  companyNumber,
  foreignVat,
  isPublicBody,
  NUMBERS_ON_INVOICES,
  parseCompanyIdentifier,
} from './parse.ts'
export { COUNTRY, isServed, vatCountry } from './served.ts'
