/** When and why a settled direct debit may be returned or refunded (EPC SDD rulebooks). Pure. */
import { addTargetDays } from '../../../platform/kit/calendar.ts'
import { addDays, addMonths, type Day } from '../../../platform/kit/dates.ts'
import type { InstructionTrigger } from './bank-rules.ts'

export type Scheme = 'CORE' | 'B2B'

/** TARGET days after settlement within which banks may return a debit. */
const RETURN_TARGET_DAYS: Record<Scheme, number> = { CORE: 5, B2B: 3 }
/** How long debtors may claim a refund of an authorized debit. */
const REFUND_DAYS = 56
/** How long debtors may claim a refund of an unauthorized debit. */
const UNAUTHORISED_MONTHS = 13
/** ISO 20022: the debtor disputes an authorized debit. */
export const DISPUTED = 'MD06'
/** ISO 20022: there is no mandate. */
const UNAUTHORISED = 'MD01'

/** Why a settled collection cannot be returned or refunded on that day; null if it can. */
export function returnFault(
  { scheme, settled_on }: { scheme: Scheme; settled_on: Day },
  trigger: InstructionTrigger,
  { reason_code, value_on }: { reason_code: string | null; value_on: Day },
): string | null {
  if (trigger === 'return') {
    const until = addTargetDays(settled_on, RETURN_TARGET_DAYS[scheme])
    if (value_on <= until) return null
    return `a ${scheme} debit is returned by banks until ${until} at the latest`
  }
  if (trigger !== 'refund') return null
  if (scheme === 'B2B') return 'a B2B debit is never refunded'
  const unauthorised = reason_code === UNAUTHORISED
  const until = unauthorised
    ? addMonths(settled_on, UNAUTHORISED_MONTHS)
    : addDays(settled_on, REFUND_DAYS)
  if (value_on <= until) return null
  const kind = unauthorised ? 'an unauthorised debit' : 'an authorised debit'
  return `${kind} is refunded until ${until} at the latest`
}

/** Why a reason code does not fit the transition; null if it does. */
export function reasonFault(trigger: InstructionTrigger, reason_code: string): string | null {
  const refunds = [DISPUTED, UNAUTHORISED]
  if (trigger === 'refund' && !refunds.includes(reason_code)) {
    return `is no reason of a refund: ${refunds.join(' (authorised) or ')} (unauthorised)`
  }
  if (trigger === 'return' && reason_code === DISPUTED) return 'is the reason of a refund'
  return null
}
