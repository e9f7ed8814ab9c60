/**
 * Alerts: conditions that need an operator's attention. They are raised in the transaction that
 * causes them, with at most one open per kind and subject, and cleared when the cause is gone or an
 * operator acknowledges them.
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
