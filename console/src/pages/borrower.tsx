/** One borrower: its company data, credit line, loans and other resources. */
import type { Borrower, RepaymentMethod } from '@headroom/contract'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { plain, status } from '../kit/columns.tsx'
import { countryName } from '../kit/country-name.ts'
import { type Column, DataList } from '../kit/data-list.tsx'
import { Facts, Json, PageHead, PageTabs, QueryResult, Section } from '../kit/detail.tsx'
import { useListQuery } from '../kit/filters.tsx'
import { day, languageName, moment, words, yesOrNo } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'
import { Rows } from '../kit/rows.tsx'
import { useIsLender, useSignedIn } from '../kit/session.tsx'
import { Status } from '../kit/status.tsx'
import { billColumns } from './bills.tsx'
import { BorrowerActions, KybActions } from './borrower-actions.tsx'
import { BorrowerLimit } from './borrower-limit.tsx'
import { BorrowerStatement } from './borrower-statement.tsx'
import { cardColumns } from './cards.tsx'
import { caseColumns } from './cases.tsx'
import { invoiceColumns } from './invoices.tsx'
import { loanColumns } from './loans.tsx'

export function BorrowerPage() {
  const { partner, borrower: borrower_id } = usePageParams<'partner' | 'borrower'>()
  const isLender = useIsLender()
  const borrower = useQuery({
    queryKey: ['borrower', borrower_id],
    queryFn: () => call('getBorrower', { params: { borrower_id }, partner }),
  })
  return (
    <QueryResult of={borrower} title="Borrower">
      {data => (
        <Stack>
          <PageHead
            title={data.name ?? data.identifier}
            status={data.status}
            info={data.status_reason && words(data.status_reason)}
            actions={isLender && <BorrowerActions partner={partner} borrower={data} />}
          />
          <PageTabs
            of={{
              about: { label: 'About', show: () => <About partner={partner} {...data} /> },
              limit: {
                label: 'Limit',
                show: () => (
                  <BorrowerLimit partner={partner} borrower_id={borrower_id} status={data.status} />
                ),
              },
              loans: {
                label: 'Loans',
                show: () => <Loans partner={partner} borrower_id={borrower_id} />,
              },
              invoices: {
                label: 'Invoices',
                show: () => <Invoices partner={partner} borrower_id={borrower_id} />,
              },
              bills: {
                label: 'Bills',
                show: () => <Bills partner={partner} borrower_id={borrower_id} />,
              },
              cards: {
                label: 'Cards',
                show: () => <Cards partner={partner} borrower_id={borrower_id} />,
              },
              cases: { label: 'Cases', show: () => <Cases partner={partner} {...data} /> },
              statement: {
                label: 'Statement',
                show: () => <BorrowerStatement partner={partner} borrower_id={borrower_id} />,
              },
            }}
          />
        </Stack>
      )}
    </QueryResult>
  )
}

interface Of {
  readonly partner: string
  readonly borrower_id: string
}

function About({ partner, ...borrower }: Borrower & { partner: string }) {
  const isLender = useIsLender()
  const { reviews_companies } = useSignedIn()
  const { compliance_checks: kyb, address } = borrower
  const name = borrower.name ?? borrower.identifier
  const street = [
    address?.address_line_1,
    address?.postal_code,
    address?.city,
    countryName(address?.country),
  ]
  return (
    <Stack>
      <Section
        title="KYB review"
        actions={
          isLender &&
          (reviews_companies ? (
            <PageLink to="/desk/company/$company" params={{ company: borrower.id }}>
              Decided in the company's file
            </PageLink>
          ) : (
            <KybActions
              partner={partner}
              borrower_id={borrower.id}
              who={name}
              status={kyb.status}
            />
          ))
        }
      >
        <Facts
          of={[
            ['Review', <Status key="kyb" value={kyb.status} />],
            ['Terms signed', moment(borrower.signed_at)],
            ['Still to be done', borrower.next_actions.map(words).join(', ') || 'Nothing'],
          ]}
        />
      </Section>
      <Section title="Company">
        <Facts
          of={[
            ['Number', `${borrower.identifier} (${words(borrower.identifier_type)})`],
            ['Legal form', borrower.legal_form ?? words(borrower.entity_type)],
            ['VAT number', borrower.vat_number],
            ['Address', street.filter(Boolean).join(', ')],
            ['Language', borrower.preferred_language && languageName(borrower.preferred_language)],
            ['Owner', borrower.owner?.email],
          ]}
        />
      </Section>
      <Section title="Directors">
        <Facts of={(borrower.directors ?? []).map(directorFact)} />
        {!borrower.directors && <Text c="dimmed">None are known: the partner names them.</Text>}
      </Section>
      <Methods partner={partner} borrower_id={borrower.id} />
      <Json of={borrower} />
    </Stack>
  )
}

function directorFact(director: NonNullable<Borrower['directors']>[number]) {
  const { first_name, last_name, legal_name, title, role, birth_date, nationality } = director
  const name = legal_name ?? `${first_name ?? ''} ${last_name ?? ''}`.trim()
  const born = birth_date && `born ${day(birth_date)}`
  return [
    title || words(role),
    [name, born, countryName(nationality)].filter(Boolean).join(', '),
  ] as const
}

const wordsOfField = (name: string) => words(name.replaceAll('.', ' '))

const METHODS: readonly Column<RepaymentMethod>[] = [
  plain('method', 'Method', method => words(method.payment_method)),
  plain('main', 'Main', method => yesOrNo(method.is_main)),
  status(method => method.status),
  plain('account', 'Account', method => method.account_to_debit?.account_number),
  plain('mandate', 'Mandate', method => method.mandate?.reference),
  plain('missing', 'Missing', method => method.missing.map(wordsOfField).join(', ')),
]

function Methods({ partner, borrower_id }: Of) {
  const methods = useQuery({
    queryKey: ['repayment-methods', borrower_id],
    queryFn: () => call('listRepaymentMethods', { params: { borrower_id }, partner }),
  })
  return (
    <Section title="How it repays">
      <QueryResult of={methods}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">No method yet: without one there is no credit line.</Text>
          ) : (
            <Rows
              label="Repayment methods"
              csv
              rows={[...data]}
              rowId={method => method.id}
              columns={METHODS}
            />
          )
        }
      </QueryResult>
    </Section>
  )
}

function Loans({ partner, borrower_id }: Of) {
  const query = useListQuery([])
  return (
    <DataList
      name="Loans of the borrower"
      partner={partner}
      columns={loanColumns(partner)}
      queryKey={['loans', partner, { borrower_id }, query]}
      first={() => call('listLoans', { query: { ...query, borrower: [borrower_id] }, partner })}
      rowId={loan => loan.id}
      empty="It has asked for no loan yet."
    />
  )
}

function Invoices({ partner, borrower_id }: Of) {
  return (
    <DataList
      name="Invoices of the borrower"
      partner={partner}
      columns={invoiceColumns(partner)}
      queryKey={['invoices', partner, { borrower_id }]}
      first={() => call('listInvoices', { query: { seller: [borrower_id] }, partner })}
      rowId={invoice => invoice.id}
      empty="No invoice of it was brought yet."
    />
  )
}

function Bills({ partner, borrower_id }: Of) {
  const query = { business_id: [borrower_id], light_bills: 'true' as const }
  return (
    <DataList
      name="Bills of the borrower"
      partner={partner}
      columns={billColumns(partner)}
      queryKey={['bills', partner, { borrower_id }]}
      first={() => call('listBills', { query, partner })}
      rowId={bill => bill.id}
      empty="No bill yet: interest is billed at the start of the month after."
    />
  )
}

function Cards({ partner, borrower_id }: Of) {
  const first = async () => {
    const data = await call('listCards', { query: { borrower_id }, partner })
    return { data, next_page: null }
  }
  return (
    <DataList
      name="Cards of the borrower"
      partner={partner}
      columns={cardColumns(partner)}
      first={first}
      queryKey={['cards', partner, { borrower_id }]}
      rowId={card => card.id}
      empty="No card of it was issued yet."
    />
  )
}

function Cases({ partner, identifier, identifier_type }: Borrower & { partner: string }) {
  const query = { identifier, identifier_type }
  return (
    <DataList
      name="Cases of the borrower"
      partner={partner}
      columns={caseColumns(partner)}
      queryKey={['cases', partner, query]}
      first={() => call('listRecollectionCases', { query, partner })}
      rowId={one => one.id}
      empty="No case of it was ever opened."
    />
  )
}
