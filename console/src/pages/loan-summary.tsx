/** Sums up a borrower's loans for dialogs: count and total of those pending, approved and owed. */
import type { Loan } from '@headroom/contract'
import { useQuery } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { QueryResult } from '../kit/detail.tsx'
import { count, money } from '../kit/format.ts'

/** Loans that a decision about the borrower can still stop, and loans that are owed. */
const STATUSES = {
  undecided: ['SUBMITTED', 'PENDING_VALIDATION'],
  waiting: ['SUBMITTED', 'PENDING_VALIDATION', 'TO_VALIDATE'],
  approved: ['VALIDATED', 'SCHEDULED'],
  owed: ['INITIATED', 'TO_REPAY', 'TO_REPAY_FEES'],
} as const satisfies Record<string, readonly Loan['status'][]>

/**
 * A text for each group, such as `2 loans of €300.00 in all`: the number of loans and their
 * principal that is not repaid, even if it is not paid out yet.
 */
export type LoanTotals = Readonly<Record<keyof typeof STATUSES, string>>

interface Props {
  readonly partner: string
  readonly borrower_id: string
  readonly children: (totalsOf: LoanTotals) => string
}

export function LoanSummary({ partner, borrower_id, children }: Props) {
  const status = [...new Set(Object.values(STATUSES).flat())]
  const loans = useQuery({
    queryKey: ['loan-summary', borrower_id],
    queryFn: async () => {
      const query = { borrower: [borrower_id], status, page_size: 500 }
      const { data, next_page } = await call('listLoans', { query, partner })
      const principal = await Promise.all(data.map(one => principalOf(partner, one)))
      return { data: data.map((one, at) => ({ ...one, principal: principal[at]! })), next_page }
    },
  })
  return (
    <QueryResult of={loans}>
      {({ data, next_page }) => {
        const totalsOf = (kind: keyof typeof STATUSES) =>
          sumOf(data.filter(one => (STATUSES[kind] as readonly string[]).includes(one.status)))
        const more = next_page ? ' These are the newest 500 of its loans alone.' : ''
        const before = { undecided: totalsOf('undecided'), waiting: totalsOf('waiting') }
        return (
          children({ ...before, approved: totalsOf('approved'), owed: totalsOf('owed') }) + more
        )
      }}
    </QueryResult>
  )
}

/**
 * Cents of principal owed, now or after the payout. Calls the API only if refunds were reclaimed.
 */
async function principalOf(partner: string, loan: Loan): Promise<number> {
  const { id: loan_id, amount, repaid_nominal_amount, reclaimed_refunds_amount } = loan
  if (reclaimed_refunds_amount === 0) return amount - repaid_nominal_amount
  return (await call('getLoanPayoff', { params: { loan_id }, partner })).principal
}

function sumOf(loans: readonly (Loan & { principal: number })[]): string {
  if (loans.length === 0) return 'no loan'
  const sum = loans.reduce((all, one) => all + one.principal, 0)
  return `${count(loans.length)} ${loans.length === 1 ? 'loan' : 'loans'} of ${money(sum)} in all`
}
