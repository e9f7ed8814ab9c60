/** One payment: its accounts, its purpose and the outcome at the bank. */
import type { Payment } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { amount, plain } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { Facts, Json, PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { bankReason, day, moment, money, reasonWords, shortId, words } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'
import { Rows } from '../kit/rows.tsx'
import { useIsLender } from '../kit/session.tsx'
import { onStatement } from './payments.tsx'

export function PaymentPage() {
  const { partner, payment: payment_id } = usePageParams<'partner' | 'payment'>()
  const isLender = useIsLender()
  const found = useQuery({
    queryKey: ['payment', payment_id],
    queryFn: () => call('listPayments', { query: { id: [payment_id] }, partner }),
  })
  return (
    <QueryResult of={found} title="Payment">
      {({ data: [payment] }) =>
        payment ? (
          <Stack>
            <PageHead
              title={`${words(payment.payment_type)} of ${money(payment.amount, payment.currency)}`}
              status={payment.status}
              info={`Payment ${shortId(payment.id)}`}
              actions={isLender && <SendAgain {...payment} />}
            />
            <About payment={payment} partner={partner} />
            <Section title="What it is for">
              <Rows
                columns={shareColumns(partner)}
                rows={sharesOf(payment)}
                rowId={({ kind, id }) => `${kind} ${id}`}
                label="What it is for"
                csv
              />
            </Section>
            <Json of={payment} />
          </Stack>
        ) : (
          <PageHead title="There is no such payment" info="Look for it in the list of payments." />
        )
      }
    </QueryResult>
  )
}

/**
 * Sends a failed, canceled or returned refund again. Shown for every PAID refund, because only the
 * server knows whether it was returned.
 */
function SendAgain({ id, payment_type, status, amount, currency, ...payment }: Payment) {
  if (payment_type !== 'REFUND' || !['FAILED', 'CANCELED', 'PAID'].includes(status)) return null
  const sum = money(amount, currency)
  return (
    <Action
      label="Send again"
      info={`What is still owed of ${sum} will be sent again to
        ${accountOf(payment.to_account_details)}, if this has failed or came back.`}
      fields={[{ name: 'reason', label: 'Reason', kind: 'long' }]}
      run={({ reason = '' }) =>
        call('sendRefundAgain', { params: { payment_id: id }, body: { reason } })
      }
      done="It will be sent again."
    />
  )
}

const accountOf = (account: Payment['from_account_details']) => account?.account_number

function About({ payment, partner }: { payment: Payment; partner: string }) {
  const {
    charged_back_payment_id: charged_back,
    provider,
    from_references,
    to_references,
  } = payment
  return (
    <Section title="About">
      <Facts
        of={[
          ['Amount', money(payment.amount, payment.currency)],
          ['Method', words(payment.payment_method)],
          ['Planned', day(payment.scheduled_at)],
          ['Paid, by its value date', day(payment.paid_at)],
          ['On the statement of the bank', onStatement(payment)],
          ['From', accountOf(payment.from_account_details)],
          ['To', accountOf(payment.to_account_details)],
          ['References', [...new Set([...from_references, ...to_references])].join(', ')],
          ['Reason', reasonWords(payment.reason)],
          ['Failed because', bankReason(payment.failure_reason)],
          [
            'Takes back',
            charged_back && (
              <PageLink
                key="charged_back"
                to="/p/$partner/payment/$payment"
                params={{ partner, payment: charged_back }}
              >
                Payment {shortId(charged_back)}
              </PageLink>
            ),
          ],
          ['At the bank', provider?.payment_id],
          ['Last change', moment(payment.updated_at)],
        ]}
      />
    </Section>
  )
}

interface Share {
  readonly kind: 'loan' | 'bill' | 'invoice' | 'subscription'
  readonly id: string
  readonly what: string
  readonly amount: number | null
}

function sharesOf({ payment_type, related_to }: Payment): Share[] {
  const { loans, bills, invoices, subscriptions } = related_to
  return [
    ...loans.map(one => ({
      kind: 'loan' as const,
      id: one.loan_id,
      amount: one.amount,
      what: words(one.payment_type),
    })),
    ...bills.map(one => ({
      kind: 'bill' as const,
      id: one.bill_id,
      amount: one.amount,
      what: words(payment_type),
    })),
    ...invoices.map(id => ({
      kind: 'invoice' as const,
      id,
      amount: null,
      what: words(payment_type),
    })),
    ...subscriptions.map(one => ({
      kind: 'subscription' as const,
      id: one.subscription_id,
      amount: one.amount_cents,
      what: words(payment_type),
    })),
  ]
}

const shareColumns = (partner: string): readonly Column<Share>[] => [
  {
    id: 'of',
    header: 'Of',
    text: ({ kind, id }) => `${words(kind)} ${id}`,
    cell: ({ kind, id }) =>
      kind === 'subscription' ? (
        `Subscription ${shortId(id)}`
      ) : (
        <PageLink to={`/p/$partner/${kind}/$${kind}`} params={{ partner, [kind]: id }}>
          {words(kind)} {shortId(id)}
        </PageLink>
      ),
  },
  plain('what', 'What', share => share.what),
  amount('amount', 'Amount', share => share.amount),
]
