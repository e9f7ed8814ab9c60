/**
 * Alerts: what one of the lender's people has to see. Raised in the transaction that gives cause,
 * once as long as it is open; cleared when the cause is gone, or by whoever has seen to it.
 */
export {
  clearAlert,
  clearAlertsUntil,
  isOpen,
  raiseAlert,
  raiseAlerts,
  restateAlert,
} from './raise-alert.ts'
export { acknowledgeAlert, type OpenAlert, readOpenAlerts } from './see-to-alerts.ts'
