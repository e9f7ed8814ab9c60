/** Whether a company is old enough to borrow. Pure. */
import { addMonths, compare, type Day, day } from '../../platform/kit/dates.ts'

/**
 * True while the company is younger than `months` months. If a minimum age applies, a company
 * without a creation date in the registry counts as too young.
 */
export function isTooYoung(creation_date: string | null, months: number, today: Day): boolean {
  if (months === 0) return false
  return creation_date === null || compare(addMonths(day(creation_date), months), today) > 0
}
