/** Installment plans: debts repaid in installments on agreed dates. */
import { z } from 'zod'
import { events, machine, operations } from './define.ts'
import { PAYMENT_STATUSES, PaymentMethod, PaymentType } from './enums.ts'
import {
  ComputedInstallmentPlan,
  ComputeInCase,
  ComputePlan,
  NewInstallmentPlan,
  NewRecollectionPlan,
} from './plan-requests.ts'
import { RecollectionCase } from './recollection.ts'
import {
  Currency,
  DayAnswer,
  Id,
  IdentifierTypeOrName,
  LightAccountDetails,
  Moment,
  page,
  pageQuery,
  repeatable,
  WireDay,
} from './shared.ts'

const PLAN_STATUSES = ['DRAFT', 'SCHEDULED', 'ACTIVE', 'COMPLETED', 'BROKEN', 'CANCELED'] as const

/** ACTIVE from the first due date or payment. A returned payment can reopen a COMPLETED plan. */
export const installmentPlanMachine = machine({
  name: 'installment_plan',
  about: 'Debts repaid in installments. BROKEN: one was not paid, and everything is due.',
  initial: 'DRAFT',
  statuses: PLAN_STATUSES,
  transitions: [
    { from: 'DRAFT', trigger: 'schedule', to: 'SCHEDULED' },
    { from: 'DRAFT', trigger: 'cancel', to: 'CANCELED' },
    { from: 'SCHEDULED', trigger: 'begin', to: 'ACTIVE' },
    { from: 'SCHEDULED', trigger: 'cancel', to: 'CANCELED' },
    { from: 'ACTIVE', trigger: 'complete', to: 'COMPLETED' },
    { from: 'ACTIVE', trigger: 'break', to: 'BROKEN' },
    { from: 'ACTIVE', trigger: 'cancel', to: 'CANCELED' },
    { from: 'COMPLETED', trigger: 'reopen', to: 'ACTIVE' },
    { from: 'COMPLETED', trigger: 'break', to: 'BROKEN' },
  ],
})

/** An installment's status depends on the amount paid and the state of its debit. */
export const installmentMachine = machine({
  name: 'installment',
  about: 'An installment of a plan. Its status follows from its money, so any change is possible.',
  initial: 'DRAFT',
  statuses: ['CANCELED', 'DRAFT', 'ISSUE_DETECTED', 'PAID', 'PARTIALLY_PAID', 'SCHEDULED'],
  transitions: [
    { from: 'DRAFT', trigger: 'schedule', to: 'SCHEDULED' },
    { from: 'DRAFT', trigger: 'cancel', to: 'CANCELED' },
    { from: 'SCHEDULED', trigger: 'cancel', to: 'CANCELED' },
    { from: 'SCHEDULED', trigger: 'pay', to: 'PAID' },
    { from: 'SCHEDULED', trigger: 'pay_part', to: 'PARTIALLY_PAID' },
    { from: 'SCHEDULED', trigger: 'fail', to: 'ISSUE_DETECTED' },
    { from: 'PARTIALLY_PAID', trigger: 'cancel', to: 'CANCELED' },
    { from: 'PARTIALLY_PAID', trigger: 'pay', to: 'PAID' },
    { from: 'PARTIALLY_PAID', trigger: 'fail', to: 'ISSUE_DETECTED' },
    { from: 'PARTIALLY_PAID', trigger: 'schedule', to: 'SCHEDULED' },
    { from: 'ISSUE_DETECTED', trigger: 'cancel', to: 'CANCELED' },
    { from: 'ISSUE_DETECTED', trigger: 'pay', to: 'PAID' },
    { from: 'ISSUE_DETECTED', trigger: 'pay_part', to: 'PARTIALLY_PAID' },
    { from: 'ISSUE_DETECTED', trigger: 'schedule', to: 'SCHEDULED' },
    { from: 'PAID', trigger: 'cancel', to: 'CANCELED' },
    { from: 'PAID', trigger: 'pay_part', to: 'PARTIALLY_PAID' },
    { from: 'PAID', trigger: 'fail', to: 'ISSUE_DETECTED' },
    { from: 'PAID', trigger: 'schedule', to: 'SCHEDULED' },
    { from: 'CANCELED', trigger: 'pay', to: 'PAID' },
    { from: 'CANCELED', trigger: 'pay_part', to: 'PARTIALLY_PAID' },
    { from: 'CANCELED', trigger: 'fail', to: 'ISSUE_DETECTED' },
    { from: 'CANCELED', trigger: 'schedule', to: 'SCHEDULED' },
  ],
})

/** The statuses of an installment in answers, including those of a debit in progress. */
const INTENT_STATUSES = [
  'CANCELED',
  'DRAFT',
  'INSTRUCTED',
  'IN_TRANSIT',
  'ISSUE_DETECTED',
  'PAID',
  'PARTIALLY_PAID',
  'SCHEDULED',
] as const

export const InstallmentPlan = z
  .object({
    id: Id,
    status: z.enum(PLAN_STATUSES),
    business_identifier: z.object({
      identifier: z.string(),
      identifier_type: IdentifierTypeOrName,
    }),
    loan_ids: z.array(Id),
    bill_ids: z.array(Id),
    recollection_case_id: Id.nullable(),
    payment_method: PaymentMethod,
    is_contractual: z.boolean(),
    recollection_fees: z.int(),
    /** A transfer with this reference pays open installments, oldest first. */
    reference: z.string(),
    installments: z.array(
      z.object({
        id: Id,
        /** The amount to pay: less than planned if money arrived early. */
        amount: z.int(),
        paid_amount: z.int(),
        date: DayAnswer,
        status: z.enum(INTENT_STATUSES),
        reference: z.string(),
        loans: z.array(z.object({ loan_id: Id, amount: z.int() })),
        bills: z.array(z.object({ bill_id: Id, amount: z.int() })),
        recollection_fees: z.int(),
      }),
    ),
    created_at: Moment,
  })
  .meta({ id: 'InstallmentPlan' })
export type InstallmentPlan = z.infer<typeof InstallmentPlan>

export const Installment = z
  .object({
    id: Id,
    installment_plan_id: Id,
    status: z.enum(INTENT_STATUSES),
    due_amount: z.int(),
    paid_amount: z.int(),
    currency: Currency,
    payment_method: PaymentMethod,
    reference: z.string(),
    scheduled_at: DayAnswer,
    last_repayment_date: DayAnswer.nullable(),
    from_account_detail: LightAccountDetails.nullable(),
    to_account_detail: LightAccountDetails,
    attempts: z.array(
      z.object({
        payment_id: Id,
        amount: z.int(),
        currency: Currency,
        payment_method: PaymentMethod,
        payment_type: PaymentType,
        reference: z.string(),
        scheduled_at: DayAnswer,
        paid_at: DayAnswer.nullable(),
        status: z.enum(PAYMENT_STATUSES),
        failure_reason: z.string().nullable(),
      }),
    ),
    updated_at: Moment,
  })
  .meta({ id: 'Installment' })
export type Installment = z.infer<typeof Installment>

const caseParams = z.strictObject({ recollection_case_id: Id })

const ListInstallmentsQuery = z.strictObject({
  ...pageQuery,
  installment_plan_ids: repeatable(Id),
  loan_ids: repeatable(Id),
  to_pay_at_gt: WireDay.optional(),
  to_pay_at_lt: WireDay.optional(),
  paid_at_gt: WireDay.optional(),
  paid_at_lt: WireDay.optional(),
  updated_at_gt: WireDay.optional(),
  updated_at_lt: WireDay.optional(),
})

const COMPUTED = `Days are banking days, amounts are cents and add up exactly to what is owed by
  then: principal, interest to these days, fees. All installments but the last are level. Nothing
  is written.`

export const installmentPlanOperations = operations({
  computeInstallmentPlan: {
    method: 'POST',
    path: '/installment-plan/compute',
    summary: 'Compute the installments of a plan',
    description: `For a recollection case, or for the loans and bills that are named. ${COMPUTED}`,
    scope: 'recollection:read',
    gated: false,
    success: 200,
    body: ComputePlan,
    answer: ComputedInstallmentPlan,
    problems: ['state_conflict'],
  },
  computeRecollectionInstallmentPlan: {
    method: 'POST',
    path: '/recollection-case/{recollection_case_id}/installment-plans/compute',
    summary: 'Compute the installments of a plan for a case',
    description: COMPUTED,
    scope: 'recollection:read',
    gated: false,
    success: 200,
    params: caseParams,
    body: ComputeInCase,
    answer: ComputedInstallmentPlan,
    problems: ['state_conflict'],
  },
  createRecollectionInstallmentPlan: {
    method: 'POST',
    path: '/recollection-case/{recollection_case_id}/installment-plans',
    summary: 'Create an installment plan for a case',
    description: `installments are as compute answers them. The plan is a DRAFT first; in the
      background older plans of the same loans are canceled and it becomes SCHEDULED. While it
      lasts, its installments take the place of the debits of its loans and bills. With the same
      salt_id the first plan is answered again.`,
    scope: 'recollection:write',
    gated: true,
    success: 201,
    params: caseParams,
    body: NewRecollectionPlan,
    answer: z
      .object({
        installment_plan_id: Id,
        status: z.enum(PLAN_STATUSES),
        recollection_case: RecollectionCase,
      })
      .meta({ id: 'RecollectionInstallmentPlan' }),
    problems: ['state_conflict', 'duplicate_request'],
  },
  createInstallmentPlan: {
    method: 'POST',
    path: '/installment-plans',
    summary: 'Create an installment plan for loans of one borrower',
    description: 'Without a recollection case and without fees; otherwise as within a case.',
    scope: 'recollection:write',
    gated: true,
    success: 201,
    body: NewInstallmentPlan,
    answer: InstallmentPlan,
    problems: ['state_conflict', 'duplicate_request'],
  },
  getInstallmentPlan: {
    method: 'GET',
    path: '/installment-plan/{installment_plan_id}',
    summary: 'Read an installment plan',
    description: 'Where to look again until its status is no longer DRAFT.',
    scope: 'recollection:read',
    gated: false,
    success: 200,
    params: z.strictObject({ installment_plan_id: Id }),
    answer: InstallmentPlan,
    problems: [],
  },
  listInstallments: {
    method: 'GET',
    path: '/installments',
    summary: 'List installments',
    description: '_gt is later than, _lt earlier than; neither counts the moment itself.',
    scope: 'recollection:read',
    gated: false,
    success: 200,
    query: ListInstallmentsQuery,
    answer: page(Installment),
    problems: [],
  },
})

const planEvent = { resource: 'installment_plan', data: InstallmentPlan } as const
const installmentEvent = { resource: 'installment', data: Installment } as const

export const installmentPlanEvents = events({
  'InstallmentPlan.DRAFT': planEvent,
  'InstallmentPlan.SCHEDULED': planEvent,
  'InstallmentPlan.ACTIVE': planEvent,
  'InstallmentPlan.COMPLETED': planEvent,
  'InstallmentPlan.BROKEN': planEvent,
  'InstallmentPlan.CANCELED': planEvent,
  'Installment.SCHEDULED': installmentEvent,
  'Installment.PARTIALLY_PAID': installmentEvent,
  'Installment.PAID': installmentEvent,
  'Installment.ISSUE_DETECTED': installmentEvent,
  'Installment.CANCELED': installmentEvent,
  'Installment.UPDATED': { ...installmentEvent, is_update: true },
})
