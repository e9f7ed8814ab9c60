/** What the build makes of the contract's tables: they stay, and their schemas are left behind. */
declare module 'virtual:contract' {
  import type { Machine, MachineName } from '@headroom/contract'

  /** Method and path of every operation. */
  export const places: Record<string, readonly [method: string, path: string]>
  export const machines: Record<MachineName, Machine>
  export const denialCodes: readonly string[]
  export const loanTypes: readonly string[]
  export const paymentTypes: readonly string[]
  export const paymentMethods: readonly string[]
  /** Which fields of a loan may be changed in which status, and in which all of them. */
  export const changeableOfLoans: Readonly<Record<string, readonly string[]>>
  export const undecidedLoans: readonly string[]
  export const auditKinds: readonly string[]
  export const eventNames: readonly string[]
  /** Which reports there are of a partner's world. */
  export const partnerReports: readonly string[]
  /** How many rows of a report a page may ask for. */
  export const reportRowsMax: number
}

/** The countries whose companies can borrow, and the languages in which borrowers read. */
declare module 'virtual:countries' {
  import type { CountryCode, CountryFacts } from '@headroom/contract'

  export const countryFacts: Readonly<Record<CountryCode, CountryFacts>>
  export const languages: readonly string[]
}

/** Method, path and summary of every operation that asks an agent for a decision. */
declare module 'virtual:writes' {
  export const writes: readonly (readonly [method: string, path: string, summary: string])[]
}
