/**
 * Alerts: conditions that need an operator's attention. Raised in the transaction that causes them,
 * at most one open per kind and subject; cleared when the cause is gone or acknowledged.
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
