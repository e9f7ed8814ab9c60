/**
 * Alerts: conditions that need an operator's attention. At most one alert is open per kind and
 * subject, and it is cleared when its cause is gone or an operator acknowledges it.
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
