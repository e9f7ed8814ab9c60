/**
 * Counterparties: the companies that borrowers sell to and buy from. A partner declares one by its
 * number or names it on an invoice. Numbers known to belong to one company lead to the same
 * counterparty. A versioned rule, stored with its inputs, limits how much can be lent on a
 * counterparty's invoices, based on registry data. The used amount is computed from the loans on
 * each read.
 */
export { declareCounterparty, lookUpParty, type PartyWithRegistryData } from './declare.ts'
export { followCompanyOfCounterparties, followCounterparty } from './follow-answer.ts'
export { counterpartyViews, limitUsed } from './queries.ts'
export type { Party } from './read-party.ts'
export { AWAITED, limitOf } from './rules.ts'
export {
  COUNTERPARTY_REGISTRY_CHANGED,
  type CounterpartyRow,
  saveCounterpartyRegistryStatuses,
} from './store.ts'
