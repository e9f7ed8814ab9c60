/** Repayment methods: how a borrower repays, with the mandate that a direct debit requires. */
import { z } from 'zod'
import { machine, operations } from './define.ts'
import { PaymentMethod } from './enums.ts'
import { AccountAnswer, DateTime, Email, Id, Moment, page, pageQuery, text } from './shared.ts'

export const REPAYMENT_METHOD_STATUSES = [
  'NEW',
  'PENDING_VALIDATION',
  'READY',
  'DEACTIVATED',
] as const
export const MANDATE_STATUSES = REPAYMENT_METHOD_STATUSES
export const MANDATE_SCHEMES = ['CORE', 'B2B'] as const
export const MandateScheme = z.enum(MANDATE_SCHEMES)

/** A method is added with all its data, so it does not stay NEW. */
export const repaymentMethodMachine = machine({
  name: 'repayment_method',
  about: 'How a borrower repays. A READY method is active.',
  initial: 'NEW',
  statuses: REPAYMENT_METHOD_STATUSES,
  transitions: [
    { from: 'NEW', trigger: 'submit', to: 'PENDING_VALIDATION' },
    { from: 'NEW', trigger: 'enable', to: 'READY' },
    { from: 'PENDING_VALIDATION', trigger: 'enable', to: 'READY' },
    { from: 'NEW', trigger: 'deactivate', to: 'DEACTIVATED' },
    { from: 'PENDING_VALIDATION', trigger: 'deactivate', to: 'DEACTIVATED' },
    { from: 'READY', trigger: 'deactivate', to: 'DEACTIVATED' },
  ],
})

/** A mandate lapses after 36 months without use. */
export const mandateMachine = machine({
  name: 'mandate',
  about: 'The SEPA mandate of a direct debit.',
  initial: 'NEW',
  statuses: MANDATE_STATUSES,
  transitions: [
    { from: 'NEW', trigger: 'submit', to: 'PENDING_VALIDATION' },
    { from: 'PENDING_VALIDATION', trigger: 'activate', to: 'READY' },
    { from: 'NEW', trigger: 'deactivate', to: 'DEACTIVATED' },
    { from: 'PENDING_VALIDATION', trigger: 'deactivate', to: 'DEACTIVATED' },
    { from: 'READY', trigger: 'deactivate', to: 'DEACTIVATED' },
    { from: 'READY', trigger: 'lapse', to: 'DEACTIVATED' },
  ],
})

const FromAccount = z.strictObject({
  account_number: text(64),
  /** Defaults to the type the method uses: an IBAN, or a wallet's internal_id. */
  account_number_type: z.enum(['iban', 'internal_id']).nullish(),
  bank_identifier: text(64, 0).nullish(),
  bank_identifier_type: z.enum(['bic', 'undefined']).default('bic'),
})
const Representative = z.strictObject({
  first_name: text(100).nullish(),
  last_name: text(100).nullish(),
  birth_date: z.iso.date().nullish(),
  nationality: text(100).nullish(),
  country_of_residence: text(100).nullish(),
})
const GivenMandate = z.strictObject({ scheme: MandateScheme, signed_at: DateTime })

export const AddRepaymentMethodBody = z.strictObject({
  payment_method: PaymentMethod,
  is_default_repayment_method: z.boolean(),
  apply_to_all_active_loans: z.boolean(),
  name: text(200).nullish(),
  from_account: FromAccount.nullish(),
  representative: Representative.nullish(),
  business_email: Email.nullish(),
  mandate: GivenMandate.nullish(),
})
export type AddRepaymentMethodBody = z.infer<typeof AddRepaymentMethodBody>

export const RepaymentMethod = z
  .object({
    id: Id,
    name: z.string().nullable(),
    payment_method: PaymentMethod,
    status: z.enum(REPAYMENT_METHOD_STATUSES),
    is_main: z.boolean(),
    account_to_debit: AccountAnswer.nullable(),
    account_to_credit: AccountAnswer.nullable(),
    missing: z.array(z.string()),
    mandate: z
      .object({
        reference: z.string(),
        creditor_identifier: z.string(),
        scheme: MandateScheme,
        status: z.enum(MANDATE_STATUSES),
        signed_at: Moment.nullable(),
        document_url: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'RepaymentMethod' })
export type RepaymentMethod = z.infer<typeof RepaymentMethod>

const BorrowerParams = z.object({ borrower_id: Id })

export const repaymentMethodOperations = operations({
  listRepaymentMethods: {
    method: 'GET',
    path: '/borrower/{borrower_id}/repayment-methods',
    summary: 'List the repayment methods of a borrower',
    scope: 'borrowers:read',
    gated: false,
    success: 200,
    params: BorrowerParams,
    query: z.strictObject(pageQuery),
    answer: page(RepaymentMethod),
    problems: [],
  },
  addRepaymentMethod: {
    method: 'POST',
    path: '/borrower/{borrower_id}/repayment-methods',
    summary: 'Add or complete a repayment method',
    description:
      'A direct debit needs IBAN, BIC, business e-mail, and the birth date, country of ' +
      'residence and nationality of the legal representative. What is missing is listed. P2P ' +
      'debits a wallet of the borrower: that of from_account, or the one opened last.',
    scope: 'borrowers:write',
    gated: true,
    success: 200,
    params: BorrowerParams,
    body: AddRepaymentMethodBody,
    answer: RepaymentMethod,
    problems: ['state_conflict'],
  },
})
