/** Changes of loans that were asked for: any field, as long as the loan's status allows it. */
import { z } from 'zod'
import { operations } from './define.ts'
import { Loan } from './loan-schemas.ts'
import { AccountCreation, Id, Metadata, PositiveCents, text, WireDay } from './shared.ts'

const References = z.array(text(140)).max(20)
const WebAddress = z.url({ protocol: /^https?$/, error: 'is no http(s) address' }).max(2000)

/** What is left out or null stays as it is. */
export const ChangeLoanBody = z.strictObject({
  amount: PositiveCents.nullish(),
  lender_id: z.null('there is one lender here').optional(),
  loan_to: AccountCreation.nullish(),
  loan_to_references: References.nullish(),
  metadata: Metadata.nullish(),
  repayment_method: z.enum(['DIRECT_DEBIT', 'SCT']).nullish(),
  repayment_to_references: References.nullish(),
  to_pay_at: WireDay.nullish(),
  to_repay_at: WireDay.nullish(),
  transfer_contract_url: WebAddress.nullish(),
})
export type ChangeLoanBody = z.infer<typeof ChangeLoanBody>

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
})
