/** Whether a company is old enough to borrow. Pure. */
import { addMonths, compare, type Day, day } from '../../platform/kit/dates.ts'

/**
 * True before the day on which a company is `months` months old. Where an age is asked for, a
 * company whose creation the register does not know is too young.
 */
export function isTooYoung(creation_date: string | null, months: number, today: Day): boolean {
  if (months === 0) return false
  return creation_date === null || compare(addMonths(day(creation_date), months), today) > 0
}
