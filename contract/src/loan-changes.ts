/** Changes to existing loans: fields, due dates and repayment links. */
import { z } from 'zod'
import { operations } from './define.ts'
import { type LoanStatus, PaymentMethod } from './enums.ts'
import { Loan } from './loan-schemas.ts'
import {
  ACCOUNT_NUMBER_TYPES,
  BANK_IDENTIFIER_TYPES,
  Binary,
  Id,
  limited,
  Metadata,
  PositiveCents,
  page,
  References,
  SourcedAccountCreation,
  signedQuery,
  text,
  WireDay,
} from './shared.ts'

const WebAddress = limited(2000, z.url({ protocol: /^https?$/, error: 'is no http(s) address' }))

/** Omitted and null fields stay unchanged. */
export const ChangeLoanBody = z.strictObject({
  amount: PositiveCents.nullish(),
  lender_id: text(100).nullish(),
  loan_to: SourcedAccountCreation.nullish(),
  loan_to_references: References.nullish(),
  metadata: Metadata.nullish(),
  repayment_method: PaymentMethod.nullish(),
  repayment_to_references: References.nullish(),
  to_pay_at: WireDay.nullish(),
  to_repay_at: WireDay.nullish(),
  transfer_contract_url: WebAddress.nullish(),
})
export type ChangeLoanBody = z.infer<typeof ChangeLoanBody>

const REFERENCES = ['loan_to_references', 'repayment_to_references'] as const

/** The fields that can change once a loan is approved, by status. Before that, every field can. */
export const CHANGEABLE_OF_LOANS: Partial<Record<LoanStatus, readonly (keyof ChangeLoanBody)[]>> = {
  VALIDATED: [...REFERENCES, 'to_repay_at'],
  SCHEDULED: [...REFERENCES, 'to_repay_at'],
  TO_REPAY: ['to_repay_at', 'repayment_method', 'metadata'],
}
export const UNDECIDED_LOANS: readonly LoanStatus[] = [
  'SUBMITTED',
  'PENDING_VALIDATION',
  'TO_VALIDATE',
]

const AccountNumber = z.strictObject({
  account_number: text(64),
  account_number_type: z.enum(ACCOUNT_NUMBER_TYPES),
  bank_identifier: text(64, 0),
  bank_identifier_type: z.enum(BANK_IDENTIFIER_TYPES),
})

const RepaymentTerms = z.strictObject({
  loan_id: Id,
  repayment_date: WireDay,
  repayment_method: PaymentMethod,
  direct_debit: z.strictObject({ from_account: AccountNumber }).nullish(),
  sct: z.strictObject({ to_account: AccountNumber }).nullish(),
  reason: z.enum(['LOAN_REPAYMENT_BY_PAY_BY_LINK']).nullish(),
})

export const SetRepaymentTermsBody = z.strictObject({
  repayment_terms: z.array(RepaymentTerms).min(1).max(200),
})
export type SetRepaymentTermsBody = z.infer<typeof SetRepaymentTermsBody>

export const RepayNowBody = z.strictObject({
  amount: PositiveCents,
  base_callback_url: WebAddress,
  repayment_method: z.enum(['PISP']).nullish(),
})
export type RepayNowBody = z.infer<typeof RepayNowBody>

export const loanChangeOperations = operations({
  changeLoan: {
    method: 'PATCH',
    path: '/loan/{loan_id}',
    summary: 'Change a loan',
    description:
      'Until it is approved every field, by the rules of a request; VALIDATED and SCHEDULED the ' +
      'references and to_repay_at; TO_REPAY to_repay_at, repayment_method and metadata. A loan ' +
      'is postponed at most once.',
    scope: 'loans:write',
    gated: true,
    success: 200,
    params: z.object({ loan_id: Id }),
    body: ChangeLoanBody,
    answer: Loan,
    problems: ['state_conflict', 'change_refused', 'already_postponed', 'collection_frozen'],
  },
  setRepaymentTerms: {
    method: 'PUT',
    path: '/loan/repayment-terms',
    summary: 'Agree on when and how loans are repaid',
    description:
      'All or none. Loans to be repaid by transfer get one reference together, the second in ' +
      'repayment_to_references: a transfer that carries it pays them, oldest due first.',
    scope: 'loans:write',
    gated: true,
    success: 200,
    body: SetRepaymentTermsBody,
    answer: page(Loan),
    problems: ['state_conflict', 'change_refused', 'already_postponed', 'collection_frozen'],
  },
  repayNow: {
    method: 'POST',
    path: '/repay/now',
    summary: 'Get an address to repay by',
    description:
      'For 24 hours it opens a page that says what to transfer where. The amount pays the ' +
      "partner's loans, oldest due first, as repayment terms say beforehand.",
    scope: 'loans:write',
    gated: true,
    success: 200,
    body: RepayNowBody,
    answer: z.object({ url: z.string() }),
    problems: ['state_conflict'],
  },
  getRepayPage: {
    method: 'GET',
    path: '/repay/{link_id}',
    summary: 'The page of an address to repay by',
    scope: null,
    gated: false,
    success: 200,
    params: z.object({ link_id: Id }),
    query: z.strictObject(signedQuery),
    answer: Binary,
    media_type: 'text/html',
    problems: ['signature_invalid'],
  },
})
