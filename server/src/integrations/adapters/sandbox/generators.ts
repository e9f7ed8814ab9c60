/** Entry point to all sandbox generators: pure functions of a seed or number. */
export type { Address } from './addresses.ts'
export { type GeneratedCompany, generateCompany } from './company-numbers.ts'
export { type CompanyProfile, companyProfile } from './company-profile.ts'
export type { SandboxCountry } from './countries.ts'
export {
  generateBic,
  generateIban,
  generateVirtualIban,
  IBAN_SCENARIOS,
  type IbanScenario,
  ibanScenario,
} from './ibans.ts'
export { type Director, generateDirector } from './people.ts'
