/** Requests to compute installment plans, and the computed result. */
import { z } from 'zod'
import { PaymentMethod } from './enums.ts'
import {
  Cents,
  DayAnswer,
  Id,
  PositiveCents,
  SourcedAccountCreation,
  text,
  WireDay,
} from './shared.ts'

/** More installments than any plan needs. */
const INSTALLMENTS_MAX = 600
const DEBTS_MAX = 500

const METHOD_NOTE =
  'DIRECT_DEBIT from the main repayment account, SCT, or P2P, the debit of a dedicated wallet.'

const terms = {
  number_of_installment: z.int().min(1).max(INSTALLMENTS_MAX),
  period: z.enum(['biweekly', 'monthly', 'weekly']).default('monthly'),
  recollection_fees: Cents.min(0).default(0),
  /** Defaults to the borrower's main repayment method. */
  repayment_method: PaymentMethod.optional().describe(METHOD_NOTE),
  start_date: WireDay,
}

export const ComputeInCase = z.strictObject(terms).meta({ id: 'PlanTerms' })

/** A plan for a case, or for the given loans and bills. */
export const ComputePlan = z
  .strictObject({
    ...terms,
    recollection_case_id: Id.nullish(),
    loan_ids: z.array(Id).max(DEBTS_MAX).default([]),
    bill_ids: z.array(Id).max(DEBTS_MAX).default([]),
  })
  .meta({ id: 'PlanTermsOfAnything' })
export type ComputePlan = z.infer<typeof ComputePlan>

export const ComputedInstallmentPlan = z
  .object({
    installments: z.array(
      z.object({
        amount: z.int(),
        date: DayAnswer,
        loans: z.array(z.object({ loan_id: Id, amount: z.int() })),
        bills: z.array(z.object({ bill_id: Id, amount: z.int() })),
        recollection_fees: z.int(),
      }),
    ),
    /** The same value twice: under the API's original name and the current one. */
    payment_method: PaymentMethod,
    repayment_method: PaymentMethod,
    recollection_fees: z.int(),
  })
  .meta({ id: 'ComputedInstallmentPlan' })
export type ComputedInstallmentPlan = z.infer<typeof ComputedInstallmentPlan>

const LoanPart = z.strictObject({ loan_id: Id, amount: PositiveCents })
const BillPart = z.strictObject({ bill_id: Id, amount: PositiveCents })

const NewRecollectionInstallment = z.strictObject({
  amount: PositiveCents,
  date: WireDay,
  loans: z.array(LoanPart).max(DEBTS_MAX),
  bills: z.array(BillPart).max(DEBTS_MAX).default([]),
  recollection_fees: Cents.min(0).default(0),
})

export const NewRecollectionPlan = z
  .strictObject({
    installments: z.array(NewRecollectionInstallment).min(1).max(INSTALLMENTS_MAX),
    repayment_method: PaymentMethod.optional().describe(METHOD_NOTE),
    payment_method: PaymentMethod.optional().describe('Another name of repayment_method.'),
    recollection_fees: Cents.min(0)
      .optional()
      .describe('The sum of those of the installments; spread where these carry none.'),
    is_contractual: z
      .boolean()
      .default(false)
      .describe(
        'True: written into an amended loan agreement, and lateness counts against it. False: a ' +
          "soft plan; the loan's own date still counts.",
      ),
    salt_id: text(255).nullish(),
  })
  .meta({ id: 'NewRecollectionPlan' })
export type NewRecollectionPlan = z.infer<typeof NewRecollectionPlan>

export const NewInstallmentPlan = z
  .strictObject({
    installments: z
      .array(
        z.strictObject({
          amount: PositiveCents,
          date: WireDay,
          loans: z.array(LoanPart).min(1).max(DEBTS_MAX),
          reference: text(140).nullish(),
        }),
      )
      .min(1)
      .max(INSTALLMENTS_MAX),
    payment_method: PaymentMethod.describe(METHOD_NOTE),
    from_account: SourcedAccountCreation.nullish(),
    salt_id: text(255).nullish(),
  })
  .meta({ id: 'NewInstallmentPlan' })
export type NewInstallmentPlan = z.infer<typeof NewInstallmentPlan>
