/**
 * The sandbox: tools for tests and demos, such as moving the clock, controlling the simulated bank
 * and card processor, reading mails and resetting the deployment. A live deployment does not serve
 * these operations.
 */
export { sandboxHandlers } from './handlers.ts'
