/**
 * Alerts: conditions that need an operator's attention. Raised in the transaction that causes them,
 * at most one open per kind and subject; cleared when the cause is gone or acknowledged.
 */
export { acknowledgeAlert, type OpenAlert, readOpenAlerts } from './acknowledge-alerts.ts'
export {
  clearAlert,
  clearAlertsUntil,
  isOpen,
  isOpenFor,
  raiseAlert,
  raiseAlerts,
  updateAlert,
} from './raise-alert.ts'
