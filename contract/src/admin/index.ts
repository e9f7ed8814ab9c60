/** The back office's operations: for the console, not for partners' programs. */
import type { z } from 'zod'
import { bankAccountWork } from './bank-accounts.ts'
import { borrowerWork } from './borrowers.ts'
import { companyWork } from './companies.ts'
import { decisionWork } from './decisions.ts'
import { deskOperations } from './desk.ts'
import { goingLiveOperations } from './going-live.ts'
import { invoiceWork } from './invoices.ts'
import { loanWork } from './loans.ts'
import { oversightOperations } from './oversight.ts'
import { paymentWork } from './payments.ts'
import { portfolioOperations } from './portfolio.ts'
import { productWork } from './products.ts'
import { recollectionWork } from './recollection.ts'
import { sessionOperations } from './sessions.ts'
import { suspenseWork } from './suspense.ts'
import { switchWork } from './switches.ts'
import { workOperations } from './work.ts'

export const adminOperations = {
  ...sessionOperations,
  ...deskOperations,
  ...portfolioOperations,
  ...oversightOperations,
  ...goingLiveOperations,
  ...workOperations,
  ...borrowerWork,
  ...companyWork,
  ...invoiceWork,
  ...loanWork,
  ...paymentWork,
  ...recollectionWork,
  ...decisionWork,
  ...suspenseWork,
  ...bankAccountWork,
  ...switchWork,
  ...productWork,
}

export type AdminOperations = typeof adminOperations
export type AdminOperationId = keyof AdminOperations

type Part<Id extends AdminOperationId, Name extends string> =
  AdminOperations[Id] extends Record<Name, infer S extends z.ZodType> ? S : z.ZodUndefined

/** The parsed input of a back-office handler. */
export type AdminParams<Id extends AdminOperationId> = z.output<Part<Id, 'params'>>
export type AdminQuery<Id extends AdminOperationId> = z.output<Part<Id, 'query'>>
export type AdminBody<Id extends AdminOperationId> = z.output<Part<Id, 'body'>>
export type AdminAnswer<Id extends AdminOperationId> = z.output<AdminOperations[Id]['answer']>
export type AdminAnswerInput<Id extends AdminOperationId> = z.input<AdminOperations[Id]['answer']>

export {
  BankAccount,
  BankLine,
  BankStatement,
  TIE_OUT_RESULTS,
  TieOut,
  TieOutDetails,
} from './bank-accounts.ts'
export { AvailableCredit, LimitByHand } from './borrowers.ts'
export {
  COMPANY_WAITS,
  CompanyEntry,
  CompanyFile,
  CompanyProposal,
  CompanyToCheck,
  Screening,
} from './companies.ts'
export { WaitingDecision } from './decisions.ts'
export { type AdminOperation, ROLES, type Role } from './define.ts'
export * from './desk.ts'
export { GoingLive, LiveRequirement } from './going-live.ts'
export { LoanPosting, WriteOff } from './loans.ts'
export * from './oversight.ts'
export { Portfolio, PortfolioDay, Standing } from './portfolio.ts'
export { Product, ProductChange } from './products.ts'
export { Session } from './sessions.ts'
export { PaymentSuggestion, PaymentTarget, SuspenseItem } from './suspense.ts'
export { ActiveSwitch, Alert } from './switches.ts'
export { RESOURCE_WORK_KINDS, WorkItem } from './work.ts'
