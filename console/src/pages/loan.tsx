/** One loan: its history, payments, postings and actions. */
import type { Loan, LoanPosting } from '@headroom/contract'
import { Anchor, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { amount, dayOf, momentOf, plain } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { Facts, History, Json, PageHead, PageTabs, QueryResult, Section } from '../kit/detail.tsx'
import { useListQuery } from '../kit/filters.tsx'
import { day, moment, money, reasonWords, shortId, words } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'
import { Rows } from '../kit/rows.tsx'
import { useIsLender } from '../kit/session.tsx'
import { LoanActions } from './loan-actions.tsx'
import { OpenCase } from './loan-case.tsx'
import { useLoanBooks, usePayoff, WriteOffActions } from './loan-write-off.tsx'
import { paymentColumns } from './payments.tsx'

export function LoanPage() {
  const { partner, loan: loan_id } = usePageParams<'partner' | 'loan'>()
  const isLender = useIsLender()
  const loan = useQuery({
    queryKey: ['loan', loan_id],
    queryFn: () => call('getLoan', { params: { loan_id }, partner }),
  })
  const tabs = (data: Loan) => ({
    about: { label: 'About', show: () => <About partner={partner} loan={data} /> },
    payments: { label: 'Payments', show: () => <Payments partner={partner} loan_id={loan_id} /> },
    ...(isLender && { books: { label: 'Books', show: () => <Books loan_id={loan_id} /> } }),
    links: { label: 'Documents', show: () => <Documents {...data} /> },
  })
  return (
    <QueryResult of={loan} title="Loan">
      {data => (
        <Stack>
          <PageHead
            title={`Loan ${shortId(data.id)} of ${money(data.amount, data.currency)}`}
            status={data.status}
            info={data.denial_reason && words(data.denial_reason)}
            actions={
              <>
                <LoanActions partner={partner} loan={data} />
                <OpenCase partner={partner} loan={data} />
                {isLender && <WriteOffActions partner={partner} loan={data} />}
              </>
            }
          />
          <PageTabs of={tabs(data)} />
        </Stack>
      )}
    </QueryResult>
  )
}

interface Of {
  readonly partner: string
  readonly loan: Loan
}

const SCHEDULE: readonly Column<Loan['installments'][number]>[] = [
  dayOf('date', 'Due', one => one.date),
  amount('amount', 'Principal', one => one.amount),
]

function About({ partner, loan }: Of) {
  const { currency, borrower } = loan
  const to = { partner, borrower: borrower.id ?? '' }
  return (
    <Stack>
      <Section title="Terms">
        <Facts
          of={[
            [
              'Borrower',
              <PageLink key="borrower" to="/p/$partner/borrower/$borrower" params={to}>
                {borrower.name ?? borrower.identifier}
              </PageLink>,
            ],
            ['Kind', words(loan.loan_type)],
            ['Amount', money(loan.amount, currency)],
            ['Submitted', moment(loan.submitted_at)],
            [loan.paid_at ? 'Paid out' : 'Payout date', day(loan.paid_at ?? loan.to_pay_at)],
            ['Due date', day(loan.to_repay_at)],
            ['Original due date', day(loan.contractual_repayment_date)],
            ['Repayment method', words(loan.repayment_method)],
            ['Paid to', loan.loan_to.account_number],
            ['Repayment account', loan.repayment_to.account_number],
            ['Repayment reference', loan.repayment_to_references[0]],
            ['Client reference', loan.salt_id],
          ]}
        />
      </Section>
      <Owed partner={partner} loan={loan} />
      {loan.installments.length > 1 && (
        <Section title="Schedule">
          <Rows
            label="Schedule"
            csv
            rows={[...loan.installments]}
            rowId={one => one.date}
            columns={SCHEDULE}
          />
        </Section>
      )}
      <Timeline partner={partner} loan_id={loan.id} />
      <Json of={loan} />
    </Stack>
  )
}

function Owed({ partner, loan }: Of) {
  const { currency } = loan
  const owed = usePayoff(partner, loan).data
  const lost = loan.written_off_amount > 0
  return (
    <Section title="Money">
      <Facts
        of={[
          ['Principal repaid', money(loan.repaid_nominal_amount, currency)],
          ['Interest paid', money(loan.paid_interests_amount, currency)],
          ['Estimated interest at due date', money(loan.fees_estimated, currency)],
          ...(owed
            ? ([
                ['Principal owed today', money(owed.principal, currency)],
                ['Interest owed today', money(owed.interest, currency)],
                ['Payoff amount today', money(owed.total, currency)],
              ] as const)
            : []),
          ...(lost
            ? ([
                ['Written off', `${money(loan.written_off_amount)} on ${day(loan.written_off_at)}`],
                ['Recovered', money(loan.recovered_amount)],
              ] as const)
            : []),
        ]}
      />
    </Section>
  )
}

interface TimelineProps {
  readonly partner: string
  readonly loan_id: string
}

function Timeline({ partner, loan_id }: TimelineProps) {
  const events = useQuery({
    queryKey: ['loan-events', loan_id],
    queryFn: () => call('listLoanEvents', { params: { loan_id }, partner }),
  })
  return (
    <Section title="What happened">
      <QueryResult of={events}>
        {({ data }) => (
          <History
            of={[...data]
              .sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
              .map(({ status, timestamp, payload }) => ({
                at: timestamp,
                what: status,
                info: typeof payload.reason === 'string' ? reasonWords(payload.reason) : undefined,
              }))}
          />
        )}
      </QueryResult>
    </Section>
  )
}

function Payments({ partner, loan_id }: TimelineProps) {
  const query = useListQuery([])
  return (
    <DataList
      name="Payments of the loan"
      partner={partner}
      columns={paymentColumns(partner)}
      queryKey={['payments', partner, { loan_id }, query]}
      first={() => call('listPayments', { query: { ...query, loan_id: [loan_id] }, partner })}
      rowId={payment => payment.id}
      empty="No money of it has moved, and none is planned."
    />
  )
}

const POSTINGS: readonly Column<LoanPosting>[] = [
  momentOf('booked_at', 'Booked', row => row.booked_at),
  dayOf('value_at', 'Value date', row => row.value_at),
  plain('kind', 'Fact', row => words(row.kind)),
  plain('account', 'Account', row => row.title),
  amount('debit', 'Debit', row => (row.amount > 0 ? row.amount : null)),
  amount('credit', 'Credit', row => (row.amount < 0 ? -row.amount : null)),
]

function Books({ loan_id }: { loan_id: string }) {
  return (
    <QueryResult of={useLoanBooks(loan_id)}>
      {({ postings }) =>
        postings.length === 0 ? (
          <Text c="dimmed">Nothing is booked: no money of it has moved.</Text>
        ) : (
          <Rows
            label="Postings"
            columns={POSTINGS}
            rows={postings}
            csv
            rowId={row => `${row.entry_id} ${row.line}`}
          />
        )
      }
    </QueryResult>
  )
}

function Documents({ contract_url, documents }: Loan) {
  const links = [
    ...(contract_url ? [{ name: 'Contract', url: contract_url }] : []),
    ...documents.map(one => ({
      name: one.document_name ?? words(one.document_type),
      url: one.document_url,
    })),
  ]
  if (links.length === 0) {
    return <Text c="dimmed">No papers: the contract is written when the loan is approved.</Text>
  }
  return (
    <List>
      {links.map(({ name, url }) => (
        <List.Item key={url}>
          <Anchor href={url} target="_blank" rel="noreferrer" underline="always">
            {name}
          </Anchor>
        </List.Item>
      ))}
    </List>
  )
}
