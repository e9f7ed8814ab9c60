/**
 * Countries: all that differs from one to the next. Each has a folder with its company numbers, the
 * law that contracts and bills cite, the languages of its borrowers, and what the sandbox makes up
 * there. `folders.ts` names the folders: a country that is added to the contract's list
 * (`contract/src/countries.ts`) does not compile until it has a folder and a line. The rest of the
 * service asks by code, and never by name.
 */
export type { CountryCode } from '@headroom/contract'
export { countryCode, registerCountry } from './codes.ts'
export type {
  ByLanguage,
  Country,
  IbanLayout,
  Place,
  SandboxCountry,
  SandboxLanguage,
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
