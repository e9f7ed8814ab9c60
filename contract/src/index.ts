/** The contract: every operation, state machine, event and problem of the API, as plain data. */
import type { z } from 'zod'
import { bankFileMachine, orderFileMachine } from './bank-files.ts'
import { bankStatementMachine } from './bank-statements.ts'
import { billMachine, billOperations } from './bills.ts'
import { borrowerMachine, borrowerOperations, complianceMachine } from './borrowers.ts'
import { businessDataOperations } from './business-data.ts'
import { cardEntryMachine, cardMachine, cardOperations } from './cards.ts'
import { companyProposalMachine } from './company-files.ts'
import { counterpartyOperations } from './counterparties.ts'
import { creditLineOperations, limitOverrideMachine } from './credit-lines.ts'
import { decisionMachine, decisionOperations, decisionStepMachine } from './decisions.ts'
import { documentOperations } from './documents.ts'
import { eligibilityOperations } from './eligibility.ts'
import { resourceEvents } from './event-names.ts'
import {
  installmentMachine,
  installmentPlanMachine,
  installmentPlanOperations,
} from './installment-plans.ts'
import { invoiceMachine, invoiceOperations } from './invoices.ts'
import { keyOperations } from './keys.ts'
import { loanChangeOperations } from './loan-changes.ts'
import { loanDocumentOperations } from './loan-documents.ts'
import { loanMachine, loanOperations, writeOffMachine } from './loans.ts'
import { onboardingStepOperations } from './onboarding-steps.ts'
import { onboardingMachine, onboardingOperations } from './onboardings.ts'
import { ownerOperations } from './owners.ts'
import {
  paymentMachine,
  paymentOperations,
  processorPaymentMachine,
  suspenseMachine,
} from './payments.ts'
import {
  recollectionActionMachine,
  recollectionCaseMachine,
  recollectionOperations,
} from './recollection.ts'
import { referrerOperations, revenueShareMachine } from './referrers.ts'
import {
  mandateMachine,
  repaymentMethodMachine,
  repaymentMethodOperations,
} from './repayment-methods.ts'
import { sandboxOperations } from './sandbox.ts'
import { bankInstructionMachine, sandboxBankOperations } from './sandbox-bank.ts'
import { sandboxCardOperations } from './sandbox-cards.ts'
import { dataBatchMachine } from './shared-data.ts'
import { statementOperations } from './statements.ts'
import { subscriptionMachine, subscriptionOperations } from './subscriptions.ts'
import { systemOperations } from './system.ts'
import { walletOperations } from './wallets.ts'
import { deliveryMachine, webhookEvents, webhookMachine, webhookOperations } from './webhooks.ts'

export const operations = {
  ...borrowerOperations,
  ...ownerOperations,
  ...onboardingOperations,
  ...onboardingStepOperations,
  ...eligibilityOperations,
  ...repaymentMethodOperations,
  ...walletOperations,
  ...creditLineOperations,
  ...businessDataOperations,
  ...counterpartyOperations,
  ...invoiceOperations,
  ...loanOperations,
  ...loanChangeOperations,
  ...loanDocumentOperations,
  ...paymentOperations,
  ...billOperations,
  ...statementOperations,
  ...recollectionOperations,
  ...installmentPlanOperations,
  ...referrerOperations,
  ...subscriptionOperations,
  ...cardOperations,
  ...documentOperations,
  ...decisionOperations,
  ...webhookOperations,
  ...keyOperations,
  ...systemOperations,
  ...sandboxOperations,
  ...sandboxBankOperations,
  ...sandboxCardOperations,
}

export type Operations = typeof operations
export type OperationId = keyof Operations

export const machines = {
  borrower: borrowerMachine,
  compliance: complianceMachine,
  repayment_method: repaymentMethodMachine,
  mandate: mandateMachine,
  loan: loanMachine,
  write_off: writeOffMachine,
  payment: paymentMachine,
  suspense: suspenseMachine,
  processor_payment: processorPaymentMachine,
  bill: billMachine,
  invoice: invoiceMachine,
  limit_override: limitOverrideMachine,
  card: cardMachine,
  card_entry: cardEntryMachine,
  data_batch: dataBatchMachine,
  onboarding: onboardingMachine,
  revenue_share: revenueShareMachine,
  recollection_case: recollectionCaseMachine,
  recollection_action: recollectionActionMachine,
  installment_plan: installmentPlanMachine,
  installment: installmentMachine,
  subscription: subscriptionMachine,
  decision: decisionMachine,
  decision_step: decisionStepMachine,
  webhook: webhookMachine,
  delivery: deliveryMachine,
  bank_instruction: bankInstructionMachine,
  order_file: orderFileMachine,
  bank_file: bankFileMachine,
  bank_statement: bankStatementMachine,
  company_proposal: companyProposalMachine,
}

export type Machines = typeof machines
export type MachineName = keyof Machines
export type Status<M extends MachineName> = Machines[M]['statuses'][number]
export type Trigger<M extends MachineName> = Machines[M]['transitions'][number]['trigger']

/** Every event type that is sent, by its public name. */
export const eventTypes = { ...resourceEvents, ...webhookEvents }
export type EventTypeName = keyof typeof eventTypes
/** The resources that have an event for updates. */
export type UpdatedResource = {
  [E in EventTypeName]: (typeof eventTypes)[E] extends { resource: infer R; is_update: true }
    ? R
    : never
}[EventTypeName]
export type EventData<E extends EventTypeName> = z.output<(typeof eventTypes)[E]['data']>

type Part<Id extends OperationId, Name extends string> =
  Operations[Id] extends Record<Name, infer S extends z.ZodType> ? S : z.ZodUndefined

/** A handler's input, after parsing. */
export type Params<Id extends OperationId> = z.output<Part<Id, 'params'>>
export type Query<Id extends OperationId> = z.output<Part<Id, 'query'>>
export type Body<Id extends OperationId> = z.output<Part<Id, 'body'>>
/** The caller's input, before parsing. */
export type ParamsInput<Id extends OperationId> = z.input<Part<Id, 'params'>>
export type QueryInput<Id extends OperationId> = z.input<Part<Id, 'query'>>
export type BodyInput<Id extends OperationId> = z.input<Part<Id, 'body'>>
export type Answer<Id extends OperationId> = z.output<Operations[Id]['answer']>

export * from './admin/index.ts'
export * from './bank-files.ts'
export * from './bank-statements.ts'
export * from './bills.ts'
export * from './borrower-schemas.ts'
export * from './borrowers.ts'
export * from './business-data.ts'
export * from './cards.ts'
export * from './company-files.ts'
export * from './counterparties.ts'
export * from './countries.ts'
export * from './credit-lines.ts'
export * from './decisions.ts'
export {
  dayDependentFields,
  type EventType,
  type Machine,
  type Method,
  type Operation,
} from './define.ts'
export * from './denial-codes.ts'
export * from './documents.ts'
export * from './eligibility.ts'
export * from './enums.ts'
export { EVENT_NAMES, EVENT_NAMES_2023, type EventName } from './event-names.ts'
export * from './financial-products.ts'
export * from './installment-plans.ts'
export * from './invoices.ts'
export * from './keys.ts'
export * from './limits.ts'
export * from './loan-changes.ts'
export * from './loan-documents.ts'
export * from './loan-request.ts'
export * from './loan-schemas.ts'
export * from './loans.ts'
export * from './onboarding-steps.ts'
export * from './onboardings.ts'
export { GATE_PROBLEMS, type Json, jsonSchema, openapi, problemsOf } from './openapi.ts'
export * from './owners.ts'
export * from './payments.ts'
export * from './plan-requests.ts'
export * from './problems.ts'
export * from './recollection.ts'
export * from './referrers.ts'
export * from './repayment-methods.ts'
export * from './sandbox.ts'
export * from './sandbox-bank.ts'
export * from './sandbox-cards.ts'
export * from './scopes.ts'
export * from './scorecards.ts'
export * from './shared.ts'
export * from './shared-data.ts'
export * from './statements.ts'
export * from './subscriptions.ts'
export * from './system.ts'
export * from './wallets.ts'
export * from './webhooks.ts'
