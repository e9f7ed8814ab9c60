/** The names of the events that webhooks can subscribe to. */
import { billEvents } from './bills.ts'
import { borrowerEvents } from './borrowers.ts'
import { cardEvents } from './cards.ts'
import { counterpartyEvents } from './counterparties.ts'
import { creditLineEvents } from './credit-lines.ts'
import { decisionEvents } from './decisions.ts'
import type { EventType } from './define.ts'
import { installmentPlanEvents } from './installment-plans.ts'
import { invoiceEvents } from './invoices.ts'
import { loanEvents } from './loans.ts'
import { onboardingEvents } from './onboardings.ts'
import { paymentEvents } from './payments.ts'
import { recollectionEvents } from './recollection.ts'
import { walletEvents } from './wallets.ts'

/** The events of every resource; `webhooks.ts` adds the test event. */
export const resourceEvents = {
  ...borrowerEvents,
  ...onboardingEvents,
  ...creditLineEvents,
  ...loanEvents,
  ...paymentEvents,
  ...billEvents,
  ...recollectionEvents,
  ...installmentPlanEvents,
  ...counterpartyEvents,
  ...invoiceEvents,
  ...walletEvents,
  ...decisionEvents,
  ...cardEvents,
}

/** Names that clients may subscribe to although no event of that name is sent; currently none. */
const RESERVED_NAMES = [] as const

export type ResourceEventName = keyof typeof resourceEvents
export type EventName = ResourceEventName | (typeof RESERVED_NAMES)[number] | 'Webhook.TEST'

const sent = Object.keys(resourceEvents) as ResourceEventName[]

/** Every name; `Loan.OVERDUE` exists only in version 2023-09. */
export const EVENT_NAMES_2023: readonly EventName[] = [...sent, ...RESERVED_NAMES, 'Webhook.TEST']

export const EVENT_NAMES: readonly EventName[] = EVENT_NAMES_2023.filter(name => {
  const type: EventType | undefined =
    name in resourceEvents ? resourceEvents[name as ResourceEventName] : undefined
  return !type?.only_2023
})
