/** One bill or credit note: its amounts, lines and actions. */
import type { Bill } from '@headroom/contract'
import { Anchor, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { useBusinessDate } from '../kit/business-date.ts'
import { amount, plain } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { Facts, Json, PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { count, day, moment, money, percent, shortId, words } from '../kit/format.ts'
import { blockedReason } from '../kit/machine.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'
import { usePartner } from '../kit/partner-select.tsx'
import { Rows } from '../kit/rows.tsx'
import { useIsLender } from '../kit/session.tsx'
import { payerOf } from './bills.tsx'

export function BillPage() {
  const { partner, bill: bill_id } = usePageParams<'partner' | 'bill'>()
  const bills = useQuery({
    queryKey: ['bill', bill_id],
    queryFn: () => call('listBills', { query: { bill_id: [bill_id] }, partner }),
  })
  return (
    <QueryResult of={bills} title="Bill">
      {({ data: [bill] }) =>
        bill ? (
          <Stack>
            <PageHead
              title={`${words(bill.kind)} ${bill.invoice_number ?? shortId(bill.id)}`}
              status={bill.status}
              actions={<BillActions partner={partner} bill={bill} />}
            />
            <About {...bill} partner={partner} />
            <Section title="Lines">
              <Rows
                label="Lines"
                columns={linesOf(partner)}
                rows={bill.lines}
                csv
                rowId={({ loan_id, kind, component, start_date, corrects_bill_id }) =>
                  [loan_id, kind, component, start_date, corrects_bill_id].join(' ')
                }
              />
            </Section>
            <Json of={bill} />
          </Stack>
        ) : (
          <PageHead title="There is no such bill" info="Look for it in the list of bills." />
        )
      }
    </QueryResult>
  )
}

function About({ partner, ...bill }: Bill & { partner: string }) {
  const { currency, payment, document_url } = bill
  return (
    <Section title="About">
      <Facts
        of={[
          ['Payer', <Payer key="payer" partner={partner} bill={bill} />],
          ['Number of the payer', bill.billed_business.identifier],
          ['Period', `${day(bill.start_date)} – ${day(bill.end_date)}`],
          ['Due', day(bill.due_date)],
          ['Total', money(bill.total_amount, currency)],
          ['Paid', money(bill.paid_amount, currency)],
          ['Credited', money(bill.credited_amount, currency)],
          ['Lapsed (written off)', money(bill.lapsed_amount, currency)],
          ['Still owed', money(bill.open_amount, currency)],
          ['Paid back', money(bill.refund_amount, currency)],
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

/** The payer, linked to its page; a partner that pays its own bill has none. */
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
    id: 'loan',
    header: 'Loan',
    text: line => line.loan_id,
    cell: ({ loan_id: loan }) => (
      <PageLink to="/p/$partner/loan/$loan" params={{ partner, loan }}>
        {shortId(loan)}
      </PageLink>
    ),
  },
  plain('kind', 'Line', lineLabel),
  plain('from', 'From', line => day(line.start_date)),
  plain('to', 'To', line => day(line.end_date)),
  { id: 'days', header: 'Days', text: line => count(line.days), numeric: true },
  {
    id: 'principal',
    header: 'Principal',
    numeric: true,
    text: ({ principal }) => (principal === null ? '–' : money(principal)),
  },
  plain('rate', 'Rate a day', ({ rate_ppm }) =>
    rate_ppm === null ? '–' : percent(rate_ppm / 1e6, 4),
  ),
  amount('amount', 'Amount', line => line.amount),
]

function lineLabel(line: Bill['lines'][number]): string {
  const { kind, component, corrects_invoice_number: number, reason } = line
  const about = component === 'PARTNER_MARK_UP' && kind !== component ? ' of the mark-up' : ''
  const of_bill = number ? ` of ${number}` : ''
  const why = reason ? `: ${words(reason).toLowerCase()}` : ''
  return `${words(kind)}${about}${of_bill}${why}`
}

const UNSENDABLE: Readonly<Record<string, string>> = {
  GENERATED: 'It is Generated: it may still change, and is sent once it is validated.',
  INVALID: 'It is Invalid: another one took its place.',
}

const SENT_BY_PARTNER =
  'The partner sends its own bills. This one becomes due once it is marked as sent.'

function BillActions(props: { partner: string; bill: Bill }) {
  const isLender = useIsLender()
  return (
    <>
      {isLender && <Release {...props} />}
      <MarkSent {...props} />
    </>
  )
}

/** Releases a bill that could not be mailed: the payer has no address, or its mail was refused. */
function Release({ partner, bill }: { partner: string; bill: Bill }) {
  const sends_bills = usePartner(partner)?.sends_bills
  const { id: bill_id, status, to_pay_amount, currency } = bill
  return (
    <Action
      label="Release bill"
      disabledReason={
        blockedReason('bill', status, 'send') ?? (sends_bills ? SENT_BY_PARTNER : null)
      }
      info={`Tell the payer about the bill of ${money(to_pay_amount, currency)} by post or phone
        first. Once released it is due, and debited if the payer repays by debit.`}
      fields={[{ name: 'reason', label: 'How the payer was told' }]}
      run={({ reason = '' }) => call('releaseBill', { params: { bill_id }, body: { reason } })}
      done="The bill is released."
    />
  )
}

/** Marks a bill as sent, for partners who send their own bills. */
function MarkSent({ partner, bill }: { partner: string; bill: Bill }) {
  const today = useBusinessDate(partner)
  const { id: bill_id, status, to_pay_amount, currency } = bill
  return (
    <Action
      label="Mark as sent"
      disabledReason={UNSENDABLE[status] ?? null}
      info={`The payer has got the bill of ${money(to_pay_amount, currency)}. One that waits for
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
