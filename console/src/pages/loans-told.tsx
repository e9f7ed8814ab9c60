/** A borrower's loans as dialogs tell them: how many wait, are approved or owed, and how much. */
import type { Loan } from '@headroom/contract'
import { useQuery } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { Loaded } from '../kit/detail.tsx'
import { count, money } from '../kit/format.ts'

/** Loans that a decision about their borrower may still reach, or that it owes. */
const STATUSES = {
  undecided: ['SUBMITTED', 'PENDING_VALIDATION'],
  waiting: ['SUBMITTED', 'PENDING_VALIDATION', 'TO_VALIDATE'],
  approved: ['VALIDATED', 'SCHEDULED'],
  owed: ['INITIATED', 'TO_REPAY', 'TO_REPAY_FEES'],
} as const satisfies Record<string, readonly Loan['status'][]>

/** Each as `2 loans of €300.00 in all`; what is owed is principal. */
export type Told = Readonly<Record<keyof typeof STATUSES, string>>

interface Props {
  readonly partner: string
  readonly borrower_id: string
  readonly children: (told: Told) => string
}

export function LoansTold({ partner, borrower_id, children }: Props) {
  const status = [...new Set(Object.values(STATUSES).flat())]
  const loans = useQuery({
    queryKey: ['loans-told', borrower_id],
    queryFn: () => {
      const query = { borrower: [borrower_id], status, page_size: 500 }
      return call('listLoans', { query, partner })
    },
  })
  return (
    <Loaded of={loans}>
      {({ data, next_page }) => {
        const told = (kind: keyof typeof STATUSES) =>
          sumOf(data.filter(one => (STATUSES[kind] as readonly string[]).includes(one.status)))
        const more = next_page ? ' These are the newest 500 of its loans alone.' : ''
        const before = { undecided: told('undecided'), waiting: told('waiting') }
        return children({ ...before, approved: told('approved'), owed: told('owed') }) + more
      }}
    </Loaded>
  )
}

function sumOf(loans: readonly Loan[]): string {
  if (loans.length === 0) return 'no loan'
  const sum = loans.reduce((all, one) => all + one.amount - one.repaid_nominal_amount, 0)
  return `${count(loans.length)} ${loans.length === 1 ? 'loan' : 'loans'} of ${money(sum)} in all`
}
