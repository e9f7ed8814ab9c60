/** Collections cases: a debtor, its debts, the person in charge, and the next action. */
import { z } from 'zod'
import { events, machine, operations } from './define.ts'
import {
  BusinessIdentifierRequired,
  Cents,
  DayAnswer,
  Id,
  IdentifierTypeOrName,
  Metadata,
  MetadataAnswer,
  Moment,
  page,
  pageQuery,
  text,
  WireDay,
} from './shared.ts'

const CASE_STATUSES = ['OPEN', 'CLOSED'] as const
const ACTION_STATUSES = ['CANCELED', 'DONE', 'SCHEDULED'] as const

/** A case closed by repayment reopens if the payment is returned. */
export const recollectionCaseMachine = machine({
  name: 'recollection_case',
  about: 'A debtor whose overdue debts an agent collects.',
  initial: 'OPEN',
  statuses: CASE_STATUSES,
  transitions: [
    { from: 'OPEN', trigger: 'close', to: 'CLOSED' },
    { from: 'CLOSED', trigger: 'reopen', to: 'OPEN' },
  ],
})

export const recollectionActionMachine = machine({
  name: 'recollection_action',
  about: 'The next action in a case.',
  initial: 'SCHEDULED',
  statuses: ACTION_STATUSES,
  transitions: [
    { from: 'SCHEDULED', trigger: 'do', to: 'DONE' },
    { from: 'SCHEDULED', trigger: 'cancel', to: 'CANCELED' },
  ],
})

export const RecollectionAction = z
  .object({
    id: Id,
    action_name: z.string(),
    action_status: z.enum(ACTION_STATUSES),
    action_status_date: Moment,
    action_status_details: z.string().nullable(),
    original_due_at: DayAnswer,
    /** The due date after any postponement. */
    due_at: DayAnswer,
    short_description: z.string().nullable(),
  })
  .meta({ id: 'RecollectionAction' })
export type RecollectionAction = z.infer<typeof RecollectionAction>

/** A period in which the loans of a case bear no interest, as insolvency law may require. */
const InterestStop = z
  .object({
    stopped_at: DayAnswer,
    reason: z.string(),
    /** The first day with interest again; null while interest is stopped. */
    resumed_at: DayAnswer.nullable(),
    resume_reason: z.string().nullable(),
  })
  .meta({ id: 'InterestStop' })

export const RecollectionCase = z
  .object({
    id: Id,
    status: z.enum(CASE_STATUSES),
    agent: z.string(),
    debtor_business: z.object({
      identifier: z.string(),
      identifier_type: IdentifierTypeOrName,
      name: z.string().nullable(),
    }),
    borrower_id: Id,
    loan_ids: z.array(Id),
    bill_ids: z.array(Id),
    /** Today's days past due of the case's longest overdue loan; 0 if no loan is overdue. */
    days_late: z.int(),
    next_action: RecollectionAction,
    past_actions: z.array(RecollectionAction),
    recollection_notes: MetadataAnswer.nullable(),
    strategies: z.array(
      z.object({ id: Id, is_active: z.boolean(), strategy_type: z.enum(['INSTALLMENT_PLAN']) }),
    ),
    interest_stop: InterestStop.nullable(),
    created_at: Moment,
    closed_at: Moment.nullable(),
    close_reason: z.string().nullable(),
  })
  .meta({ id: 'RecollectionCase' })
export type RecollectionCase = z.infer<typeof RecollectionCase>

/**
 * The debts of a case, each with the amount owed on a day, and their total without double counting.
 */
export const CaseDebts = z
  .object({
    recollection_case_id: Id,
    on: DayAnswer,
    currency: z.literal('EUR'),
    total: Cents,
    debts: z.array(
      z.object({
        type: z.enum(['LOAN', 'BILL']),
        id: Id,
        status: z.string(),
        due_at: DayAnswer,
        /**
         * Excludes a bill's lines for loans of this case, because each loan's amount includes its
         * interest.
         */
        owed: Cents,
      }),
    ),
  })
  .meta({ id: 'RecollectionCaseDebts' })
export type CaseDebts = z.infer<typeof CaseDebts>

export const NewRecollectionAction = z
  .strictObject({
    action_name: text(200),
    due_at: WireDay,
    short_description: text(2000).nullish(),
  })
  .meta({ id: 'NewRecollectionAction' })
export type NewRecollectionAction = z.infer<typeof NewRecollectionAction>

export const NewRecollectionCase = z
  .strictObject({
    agent: text(200),
    debtor_business: BusinessIdentifierRequired,
    loan_ids: z.array(Id).max(500),
    bill_ids: z.array(Id).max(500).default([]),
    next_action: NewRecollectionAction,
    recollection_notes: Metadata.nullish(),
    salt_id: text(255).nullish(),
  })
  .meta({ id: 'NewRecollectionCase' })
export type NewRecollectionCase = z.infer<typeof NewRecollectionCase>

const caseParams = z.strictObject({ recollection_case_id: Id })

const ListCasesQuery = z.strictObject({
  ...pageQuery,
  identifier: text(100).optional(),
  identifier_type: IdentifierTypeOrName.optional(),
  status: z.enum(CASE_STATUSES).optional(),
  next_action_due_at_from: WireDay.optional(),
  next_action_due_at_to: WireDay.optional(),
})

export const recollectionOperations = operations({
  createRecollectionCase: {
    method: 'POST',
    path: '/recollection-cases',
    summary: 'Open a recollection case',
    description: `A debtor, the loans or bills that it does not repay, who sees to it and what is to
      be done next. Loans must be paid out and not closed; bills sent and unpaid. With the same
      salt_id the first case is answered again.`,
    scope: 'recollection:write',
    gated: true,
    success: 201,
    body: NewRecollectionCase,
    answer: RecollectionCase,
    problems: ['case_exists', 'duplicate_request'],
  },
  listRecollectionCases: {
    method: 'GET',
    path: '/recollection-cases',
    summary: 'List recollection cases',
    description:
      'Of one debtor when its identifier is given, else of all. `next_action_due_at_from` and ' +
      '`next_action_due_at_to` ask for those whose next action is still to be done.',
    scope: 'recollection:read',
    gated: false,
    success: 200,
    query: ListCasesQuery,
    answer: page(RecollectionCase),
    problems: [],
  },
  getRecollectionCase: {
    method: 'GET',
    path: '/recollection-case/{recollection_case_id}',
    summary: 'Read a recollection case',
    scope: 'recollection:read',
    gated: false,
    success: 200,
    params: caseParams,
    answer: RecollectionCase,
    problems: [],
  },
  getRecollectionCaseDebts: {
    method: 'GET',
    path: '/recollection-case/{recollection_case_id}/debts',
    summary: 'Read what the loans and bills of a case owe today',
    description: `As a plan of today would repay them: principal and interest of loans, what is
      unpaid of bills. A bill that was replaced owes what replaces it.`,
    scope: 'recollection:read',
    gated: false,
    success: 200,
    params: caseParams,
    answer: CaseDebts,
    long_lists: ['debts'],
    problems: [],
  },
  updateRecollectionCase: {
    method: 'PUT',
    path: '/recollection-case/{recollection_case_id}',
    summary: 'Replace the notes of a recollection case',
    scope: 'recollection:write',
    gated: true,
    success: 200,
    params: caseParams,
    body: z.strictObject({ recollection_notes: Metadata }).meta({ id: 'RecollectionNotes' }),
    answer: RecollectionCase,
    problems: [],
  },
  addRecollectionAction: {
    method: 'POST',
    path: '/recollection-case/{recollection_case_id}/actions',
    summary: 'Plan an action in a recollection case',
    description: 'next_action of the case is that which is due first.',
    scope: 'recollection:write',
    gated: true,
    success: 201,
    params: caseParams,
    body: NewRecollectionAction,
    answer: RecollectionAction,
    problems: ['state_conflict'],
  },
  updateRecollectionAction: {
    method: 'PATCH',
    path: '/recollection-case/{recollection_case_id}/action/{action_id}',
    summary: 'Say that an action is done, drop it, or put it off',
    description: `Once none is left to be done, next_action of the case is the last that was.`,
    scope: 'recollection:write',
    gated: true,
    success: 200,
    params: z.strictObject({ recollection_case_id: Id, action_id: Id }),
    body: z
      .strictObject({
        action_status: z.enum(['CANCELED', 'DONE']).optional(),
        action_status_details: text(2000).nullish(),
        due_at: WireDay.optional(),
        short_description: text(2000).nullish(),
      })
      .meta({ id: 'RecollectionActionChange' }),
    answer: RecollectionAction,
    problems: ['state_conflict'],
  },
  closeRecollectionCase: {
    method: 'POST',
    path: '/recollection-case/{recollection_case_id}/close',
    summary: 'Close a recollection case',
    description: `Its plan is canceled and what is owed is due again. A case closes by itself when
      everything is repaid.`,
    scope: 'recollection:write',
    gated: true,
    success: 200,
    params: caseParams,
    body: z.strictObject({ reason: text(500) }).meta({ id: 'RecollectionCaseClosing' }),
    answer: RecollectionCase,
    problems: ['state_conflict'],
  },
})

const caseEvent = { resource: 'recollection_case', data: RecollectionCase } as const

export const recollectionEvents = events({
  'RecollectionCase.OPEN': caseEvent,
  'RecollectionCase.CLOSED': caseEvent,
  'RecollectionCase.INTEREST_STOPPED': caseEvent,
  'RecollectionCase.INTEREST_RESUMED': caseEvent,
})
