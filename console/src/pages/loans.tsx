/** All loans of a partner. */
import { loanTypes } from 'virtual:contract'
import type { Loan } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { call } from '../kit/api.ts'
import { amount, dayOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { shortId, words } from '../kit/format.ts'
import { statusesOf } from '../kit/machine.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'query', label: 'Search' },
  { kind: 'many', name: 'status', label: 'Status', options: statusesOf('loan') },
  { kind: 'many', name: 'loan_type', label: 'Kind', options: loanTypes },
  { kind: 'text', name: 'borrower', label: 'Borrower’s number' },
  { kind: 'days', label: 'Payout date', from: 'to_pay_at_from', to: 'to_pay_at_to' },
  { kind: 'days', label: 'Due date', from: 'to_repay_at_from', to: 'to_repay_at_to' },
  { kind: 'one', name: 'postponed', label: 'Postponed', options: ['true', 'false'] },
]

export function loanColumns(partner: string): readonly Column<Loan>[] {
  return [
    {
      id: 'id',
      header: 'Loan',
      text: loan => loan.id,
      cell: ({ id }) => (
        <PageLink to="/p/$partner/loan/$loan" params={{ partner, loan: id }}>
          {shortId(id)}
        </PageLink>
      ),
    },
    status(loan => loan.status),
    plain('borrower', 'Borrower', loan => loan.borrower.name ?? loan.borrower.identifier),
    plain('type', 'Kind', loan => words(loan.loan_type)),
    amount('amount', 'Amount', loan => loan.amount),
    amount('repaid', 'Repaid', loan => loan.repaid_nominal_amount),
    dayOf('to_pay_at', 'Payout date', loan => loan.to_pay_at, { sort: 'to_pay_at' }),
    dayOf('to_repay_at', 'Due date', loan => loan.to_repay_at, { sort: 'to_repay_at' }),
  ]
}

export function LoansPage() {
  const { partner } = usePageParams<'partner'>()
  const query = useListQuery(FILTERS)
  return (
    <Stack>
      <PageHead title="Loans" />
      <Filters of={FILTERS} />
      <DataList
        name="Loans"
        queryKey={['loans', partner, query]}
        first={() => call('listLoans', { query, partner })}
        partner={partner}
        columns={loanColumns(partner)}
        rowId={loan => loan.id}
        empty="No loans here. One appears as soon as the partner's program asks for it."
      />
    </Stack>
  )
}
