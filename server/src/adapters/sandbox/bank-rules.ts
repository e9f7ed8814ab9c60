/** What the sandbox bank does with an order by itself, and what may be made of it. Pure. */
import { bankInstructionMachine } from '@headroom/contract'
import { addTargetDays, onOrAfterTargetDay } from '../../kit/calendar.ts'
import { type Day, max } from '../../kit/dates.ts'
import { next } from '../../kit/machine.ts'
import type { PaymentOrder } from '../../ports/bank.ts'
import { ibanScenario } from './ibans.ts'

export type InstructionState = (typeof bankInstructionMachine.statuses)[number]
export type InstructionTrigger = (typeof bankInstructionMachine.transitions)[number]['trigger']
export type DueTrigger = 'settle' | 'reject' | 'recall'

export type Plan =
  | { readonly refused: false; readonly settles_on: Day; readonly due_trigger: DueTrigger }
  | { readonly refused: true; readonly reason_code: string }

/** ISO 20022 reason codes that the bank gives when nobody names one. */
const BLOCKED_ACCOUNT = 'AC06'
const DEFAULT_REASONS: Record<'SCT' | 'SDD', Record<InstructionTrigger, string | null>> = {
  // Closed account; cancelled for technical reasons.
  SCT: {
    settle: null,
    reject: 'AC04',
    recall: 'TECH',
    return: 'AC04',
    refund: null,
    reverse: null,
  },
  // No funds; the debtor disputes an authorised debit; a duplicate.
  SDD: {
    settle: null,
    reject: 'AM04',
    recall: 'TECH',
    return: 'AM04',
    refund: 'MD06',
    reverse: 'AM05',
  },
}

/**
 * When an order settles and what becomes of it then. A transfer follows the scenario of the account
 * it pays and takes closed days too; a collection keeps to TARGET days (interface.md, Bank).
 */
export function planOf(
  order: Pick<PaymentOrder, 'kind' | 'counterparty' | 'requested_on'>,
  today: Day,
): Plan {
  const earliest = max(order.requested_on, today)
  if (order.kind === 'SDD') {
    return { refused: false, settles_on: onOrAfterTargetDay(earliest), due_trigger: 'settle' }
  }
  switch (ibanScenario(order.counterparty.iban)) {
    case 'REJECT':
      return { refused: true, reason_code: BLOCKED_ACCOUNT }
    case 'FAIL':
      return { refused: false, settles_on: earliest, due_trigger: 'reject' }
    case 'CANCEL':
      return { refused: false, settles_on: earliest, due_trigger: 'recall' }
    case 'SUCCESS_ONE_DAY_LATER':
      return { refused: false, settles_on: addTargetDays(earliest, 1), due_trigger: 'settle' }
    default:
      return { refused: false, settles_on: earliest, due_trigger: 'settle' }
  }
}

/** Where `trigger` leads; null when it does not: a transfer is neither refunded nor reversed. */
export function stateAfter(
  kind: 'SCT' | 'SDD',
  state: InstructionState,
  trigger: InstructionTrigger,
): InstructionState | null {
  if (kind === 'SCT' && (trigger === 'refund' || trigger === 'reverse')) return null
  return next<InstructionState, InstructionTrigger>(bankInstructionMachine, state, trigger)
}

/** The reason that the bank gives for it by itself; null when it needs none. */
export function defaultReason(kind: 'SCT' | 'SDD', trigger: InstructionTrigger): string | null {
  return DEFAULT_REASONS[kind][trigger]
}
