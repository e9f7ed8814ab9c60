/** One bill or credit note: its lines, what it is paid by, and how it was sent. */
import type { Bill } from '@headroom/contract'
import { Anchor, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Action } from '../kit/action.tsx'
import { usePlace } from '../kit/address.ts'
import { call } from '../kit/api.ts'
import { useBusinessDate } from '../kit/business-date.ts'
import { amount, plain } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { Facts, Json, Loaded, PageHead, Section } from '../kit/detail.tsx'
import { count, day, moment, money, shortId, words } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { Rows } from '../kit/rows.tsx'
import { payerOf } from './bills.tsx'

export function BillPage() {
  const { partner, bill: bill_id } = usePlace<'partner' | 'bill'>()
  const bills = useQuery({
    queryKey: ['bill', bill_id],
    queryFn: () => call('listBills', { query: { bill_id: [bill_id] }, partner }),
  })
  return (
    <Loaded of={bills} title="Bill">
      {({ data: [bill] }) =>
        bill ? (
          <Stack>
            <PageHead
              title={`${words(bill.kind)} ${bill.invoice_number ?? shortId(bill.id)}`}
              status={bill.status}
              actions={<MarkSent {...{ partner, bill }} />}
            />
            <About {...bill} partner={partner} />
            <Section title="Lines">
              <Rows
                {...{ label: 'Lines', columns: linesOf(partner), rows: bill.lines, csv: true }}
                rowId={line => `${line.loan_id} ${line.kind}`}
              />
            </Section>
            <Json of={bill} />
          </Stack>
        ) : (
          <PageHead title="There is no such bill" says="Look for it in the list of bills." />
        )
      }
    </Loaded>
  )
}

function About({ partner, ...bill }: Bill & { partner: string }) {
  const { currency, payment, document_url } = bill
  return (
    <Section title="About">
      <Facts
        of={[
          ['Payer', <Payer key="payer" {...{ partner, bill }} />],
          ['Number of the payer', bill.billed_business.identifier],
          ['Period', `${day(bill.start_date)} – ${day(bill.end_date)}`],
          ['Due', day(bill.due_date)],
          ['Amount', money(bill.to_pay_amount, currency)],
          ['Paid back', money(bill.refund_amount, currency)],
          ['Lapsed', money(bill.lapsed_amount, currency)],
          ['Written', moment(bill.ran_at)],
          ['Sent', moment(bill.email_sent_to_payer_on)],
          ['Payment', `${words(payment.payment_method)}, ${words(payment.status).toLowerCase()}`],
          ['Reference', payment.to_references[0]],
          ['Replaces', bill.amends_bill_id && shortId(bill.amends_bill_id)],
        ]}
      />
      {document_url && (
        <Anchor href={document_url} target="_blank" rel="noreferrer" underline="always">
          Open the PDF
        </Anchor>
      )}
    </Section>
  )
}

/** A borrower has a page; a partner that is billed has none. */
function Payer({ partner, bill }: { partner: string; bill: Bill }) {
  const { billed_borrower_id: borrower } = bill
  if (!borrower) return payerOf(bill)
  return (
    <PageLink to="/p/$partner/borrower/$borrower" params={{ partner, borrower }}>
      {payerOf(bill)}
    </PageLink>
  )
}

const linesOf = (partner: string): readonly Column<Bill['lines'][number]>[] => [
  {
    ...{ id: 'loan', header: 'Loan', text: line => line.loan_id },
    cell: ({ loan_id: loan }) => (
      <PageLink to="/p/$partner/loan/$loan" params={{ partner, loan }}>
        {shortId(loan)}
      </PageLink>
    ),
  },
  plain('kind', 'What', line => words(line.kind)),
  { id: 'days', header: 'Days', text: line => count(line.days), numeric: true },
  amount('amount', 'Amount', line => line.amount),
]

const UNSENDABLE: Readonly<Record<string, string>> = {
  GENERATED: 'It is Generated: it may still change, and is sent once it is validated.',
  INVALID: 'It is Invalid: another one took its place.',
  PAID: 'It is Paid: its payer has got it.',
}

/** For bills that a partner sends itself. */
function MarkSent({ partner, bill }: { partner: string; bill: Bill }) {
  const today = useBusinessDate(partner)
  const { id: bill_id, status, to_pay_amount, currency } = bill
  return (
    <Action
      label="Mark as sent"
      whyNot={UNSENDABLE[status] ?? null}
      says={`The payer has got the bill of ${money(to_pay_amount, currency)}. One that waits for
        this is due from then on.`}
      fields={[
        { name: 'on', label: 'Sent on', kind: 'day', ...(today && { initial: today }) },
        { name: 'to', label: 'To these e-mail addresses', hint: 'With commas between them' },
      ]}
      run={({ on = '', to = '' }) =>
        call('noteBillSent', {
          params: { bill_id },
          body: { sent_on: on, to_email_addresses: to.split(/[\s,;]+/).filter(Boolean) },
          partner,
        })
      }
      done="The bill is marked as sent."
    />
  )
}
