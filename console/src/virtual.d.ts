/** Tables of the contract that the build extracts, so that schemas stay out of the bundle. */
declare module 'virtual:contract' {
  import type { Machine, MachineName } from '@headroom/contract'

  /** The method and path of each operation, by operation id. */
  export const places: Record<string, readonly [method: string, path: string]>
  export const machines: Record<MachineName, Machine>
  export const denialCodes: readonly string[]
  export const loanTypes: readonly string[]
  export const paymentTypes: readonly string[]
  export const paymentMethods: readonly string[]
  /** The fields of a loan that can change, by status. In `undecidedLoans` statuses, all can. */
  export const changeableOfLoans: Readonly<Record<string, readonly string[]>>
  export const undecidedLoans: readonly string[]
  export const auditKinds: readonly string[]
  export const eventNames: readonly string[]
  /** Names of the reports that a partner's users can read. */
  export const partnerReports: readonly string[]
  /** The most rows in one response of a report. */
  export const reportRowsMax: number
}

/** Countries whose companies can borrow, and the borrowers' languages. */
declare module 'virtual:countries' {
  import type { CountryCode, CountryFacts } from '@headroom/contract'

  export const countryFacts: Readonly<Record<CountryCode, CountryFacts>>
  export const languages: readonly string[]
}

/** Method, path and summary of every operation that needs a decision when an agent calls it. */
declare module 'virtual:writes' {
  export const writes: readonly (readonly [method: string, path: string, summary: string])[]
}
