/**
 * Counterparties: the companies that borrowers sell to and buy from. A partner declares one with
 * its number, or names it on an invoice; the same company under any of its numbers is one. What
 * the register knows of it sets the most that loans on its invoices may come to, by a versioned
 * rule that keeps its inputs; what is left of that is counted from the loans when it is read.
 */
export { declareCounterparty, type KnownParty, lookUpParty } from './declare.ts'
export { counterpartyViews, limitUsed } from './queries.ts'
export type { Party } from './read-party.ts'
export { limitOf } from './rules.ts'
export {
  COUNTERPARTY_STANDS_OTHERWISE,
  type CounterpartyRow,
  noteCounterpartyStandings,
} from './store.ts'
