/** A partner's payments, in and out. */
import { paymentMethods, paymentTypes } from 'virtual:contract'
import type { Payment } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { call } from '../kit/api.ts'
import { amount, dayOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { bankReason, shortId, words, yesOrNo } from '../kit/format.ts'
import { statusesOf } from '../kit/machine.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'references', label: 'Reference' },
  { kind: 'many', name: 'status', label: 'Status', options: statusesOf('payment') },
  { kind: 'many', name: 'payment_type', label: 'What for', options: paymentTypes },
  { kind: 'many', name: 'payment_method', label: 'Method', options: paymentMethods },
  { kind: 'days', label: 'Paid', from: 'paid_after', to: 'paid_before' },
  { kind: 'one', name: 'is_reconciled', label: 'On the statement', options: ['true', 'false'] },
]

/** The payment date comes from the bank statement, so a payment with one is on a statement. */
export const onStatement = ({ paid_at }: Payment) => yesOrNo(paid_at !== null)

export function paymentColumns(partner: string): readonly Column<Payment>[] {
  return [
    {
      id: 'id',
      header: 'Payment',
      text: payment => payment.id,
      cell: ({ id }) => (
        <PageLink to="/p/$partner/payment/$payment" params={{ partner, payment: id }}>
          {shortId(id)}
        </PageLink>
      ),
    },
    status(payment => payment.status),
    plain('type', 'What for', payment => words(payment.payment_type)),
    amount('amount', 'Amount', payment => payment.amount, { sort: 'amount' }),
    plain('method', 'Method', payment => words(payment.payment_method), {
      sort: 'payment_method',
    }),
    dayOf('scheduled_at', 'Planned', payment => payment.scheduled_at, { sort: 'scheduled_at' }),
    dayOf('paid_at', 'Paid', payment => payment.paid_at),
    plain('reconciled', 'On the statement', onStatement),
    {
      id: 'loans',
      header: 'Of',
      text: ({ related_to }) => related_to.loans.map(({ loan_id }) => loan_id).join(' ') || '–',
      cell: ({ related_to: { loans } }) => {
        const [first] = loans
        if (!first) return '–'
        return (
          <PageLink to="/p/$partner/loan/$loan" params={{ partner, loan: first.loan_id }}>
            Loan {shortId(first.loan_id)}
          </PageLink>
        )
      },
    },
    plain('failure', 'Failed because', payment => bankReason(payment.failure_reason)),
  ]
}

export function PaymentsPage() {
  const { partner } = usePageParams<'partner'>()
  const query = useListQuery(FILTERS)
  return (
    <Stack>
      <PageHead title="Payments" />
      <Filters of={FILTERS} />
      <DataList
        name="Payments"
        partner={partner}
        columns={paymentColumns(partner)}
        queryKey={['payments', partner, query]}
        first={() => call('listPayments', { query, partner })}
        rowId={payment => payment.id}
        empty="No payments here. The first is the payout of the first loan."
      />
    </Stack>
  )
}
