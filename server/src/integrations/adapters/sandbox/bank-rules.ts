/** How the sandbox bank processes orders, and the transitions of its instructions. Pure. */
import { bankInstructionMachine } from '@headroom/contract'
import { addTargetDays, onOrAfterTargetDay } from '../../../platform/kit/calendar.ts'
import { type Day, max } from '../../../platform/kit/dates.ts'
import { next } from '../../../platform/kit/machine.ts'
import type { PaymentOrder } from '../../ports/bank.ts'
import { ibanScenario } from './ibans.ts'
import { DISPUTED } from './return-windows.ts'

export type InstructionState = (typeof bankInstructionMachine.statuses)[number]
export type InstructionTrigger = (typeof bankInstructionMachine.transitions)[number]['trigger']
export type DueTrigger = 'transmit' | 'settle' | 'reject' | 'recall'

/** `due_on` is the day on which `due_trigger` happens automatically. */
export type InstructionPlan =
  | { readonly refused: false; readonly due_on: Day; readonly due_trigger: DueTrigger }
  | { readonly refused: true; readonly reason_code: string }

/** How an instruction moves money: a transfer, a collection under a mandate, or a wallet debit. */
export type InstructionType = 'SCT' | 'SDD' | 'WALLET'

export function instructionTypeOf({
  kind,
  direction,
}: Pick<PaymentOrder, 'kind' | 'direction'>): InstructionType {
  return kind === 'SCT' && direction === 'IN' ? 'WALLET' : kind
}

/** ISO 20022: the account is blocked. */
const BLOCKED_ACCOUNT = 'AC06'
/** The ISO 20022 reason codes used if none is given. */
const DEFAULT_REASONS: Record<InstructionType, Record<InstructionTrigger, string | null>> = {
  // AC04 is a closed account, TECH a cancellation for technical reasons.
  SCT: {
    transmit: null,
    settle: null,
    reject: 'AC04',
    recall: 'TECH',
    return: 'AC04',
    refund: null,
    reverse: null,
  },
  // AM04 is insufficient funds, AM05 a duplicate; `DISPUTED` is an authorized debit that the debtor
  // disputes.
  SDD: {
    transmit: null,
    settle: null,
    reject: 'AM04',
    recall: 'TECH',
    return: 'AM04',
    refund: DISPUTED,
    reverse: 'AM05',
  },
  // AM04 is insufficient funds. Money debited from a wallet is never returned.
  WALLET: {
    transmit: null,
    settle: null,
    reject: 'AM04',
    recall: 'TECH',
    return: null,
    refund: null,
    reverse: null,
  },
}

/**
 * How an order is processed automatically, and when that starts. Transfers follow the scenario of
 * the counterparty's IBAN and, like wallet debits, start on any day; collections settle only on
 * TARGET days.
 */
export function planOf(
  order: Pick<PaymentOrder, 'kind' | 'counterparty' | 'requested_on'>,
  today: Day,
): InstructionPlan {
  const earliest = max(order.requested_on, today)
  if (order.kind === 'SDD') {
    return { refused: false, due_on: onOrAfterTargetDay(earliest), due_trigger: 'settle' }
  }
  switch (ibanScenario(order.counterparty.iban)) {
    case 'REJECT':
      return { refused: true, reason_code: BLOCKED_ACCOUNT }
    case 'FAIL':
      return { refused: false, due_on: earliest, due_trigger: 'reject' }
    case 'CANCEL':
      return { refused: false, due_on: earliest, due_trigger: 'recall' }
    case 'SUCCESS_ONE_DAY_LATER':
      return { refused: false, due_on: earliest, due_trigger: 'transmit' }
    default:
      return { refused: false, due_on: earliest, due_trigger: 'settle' }
  }
}

/** The day on which a transfer sent on `sent_on` arrives: the next TARGET day. */
export function arrivesOn(sent_on: Day): Day {
  return addTargetDays(sent_on, 1)
}

/**
 * The state that `trigger` leads to; null if the instruction cannot take that step, because of its
 * state or its type.
 */
export function stateAfter(
  type: InstructionType,
  state: InstructionState,
  trigger: InstructionTrigger,
): InstructionState | null {
  if (type !== 'SCT' && trigger === 'transmit') return null
  if (type !== 'SDD' && (trigger === 'refund' || trigger === 'reverse')) return null
  if (type === 'WALLET' && trigger === 'return') return null
  return next<InstructionState, InstructionTrigger>(bankInstructionMachine, state, trigger)
}

/** The bank's default reason code for a transition; null if it needs none. */
export function defaultReason(type: InstructionType, trigger: InstructionTrigger): string | null {
  return DEFAULT_REASONS[type][trigger]
}
