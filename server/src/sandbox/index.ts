/**
 * The sandbox: tools for tests and demos. It moves the clock, controls the simulated bank, decides
 * KYB reviews, shows mails, generates companies and resets the deployment. A live deployment does
 * not serve these operations.
 */
export { sandboxHandlers } from './handlers.ts'
export { EMPTIED_TABLES, KEPT_TABLES, TABLES_DELETED_BY_ROW } from './reset.ts'
