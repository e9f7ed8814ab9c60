/** The day on which monthly fees are due. Pure. */
import { nthTargetDayOfMonth } from '../../platform/kit/calendar.ts'
import type { Day } from '../../platform/kit/dates.ts'

/** The banking day of the month on which fees are debited, the same as for bills. */
const DEBIT_BANKING_DAY = 3

export function feeDueOn(month: Day): Day {
  return nthTargetDayOfMonth(month, DEBIT_BANKING_DAY)
}
