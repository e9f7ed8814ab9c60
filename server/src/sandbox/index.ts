/**
 * The sandbox: everything a test or a demo leans on. It moves the clock, plays the bank by hand,
 * decides KYB reviews, shows the mails, makes up companies and empties the deployment. It stands
 * aside from the other rooms: none of them knows it, and in a live deployment it does not exist.
 */
export { sandboxHandlers } from './handlers.ts'
export { EMPTIED_BY_ROW, EMPTIED_TABLES, KEPT_TABLES } from './reset.ts'
