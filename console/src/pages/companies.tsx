/** The companies that wait for operators: entries, confirmations, hits, screenings and reviews. */
import type { CompanyToCheck } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { call, type Input } from '../kit/api.ts'
import { momentOf, plain } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { regionName } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { EnterCompany } from './company-entry.tsx'

type Waits = CompanyToCheck['waits_for']

const WAITS: Record<Waits, string> = {
  ENTRY: 'Its data: enter the company',
  CONFIRMATION: 'A second operator',
  HIT: 'The decision of a screening hit',
  SCREENING: 'Its screening',
  REVIEW: 'The decision of its review',
  RENEWAL: 'Its renewal: the approval ends within 30 days',
}

const FILTERS: readonly Filter[] = [
  { kind: 'many', name: 'waits_for', label: 'Waits for', options: Object.keys(WAITS) },
]

const COLUMNS: readonly Column<CompanyToCheck>[] = [
  {
    id: 'company',
    header: 'Company',
    text: company => company.name ?? company.identifier,
    cell: ({ company_key: company, name, identifier }) => (
      <PageLink to="/desk/company/$company" params={{ company }}>
        {name ?? identifier}
      </PageLink>
    ),
  },
  plain('identifier', 'Number', company => company.identifier),
  plain('country', 'Country', company => regionName(company.country)),
  plain('waits_for', 'Waits for', company => WAITS[company.waits_for]),
  momentOf('since', 'Waits since', company => company.waits_since),
]

export function CompaniesPage() {
  const query = useListQuery(FILTERS) as Input<'listCompaniesToCheck'>['query']
  return (
    <Stack>
      <PageHead
        title="Companies to check"
        info="One operator proposes, another confirms. Loans of these companies wait until then."
        actions={<EnterCompany />}
      />
      <Filters of={FILTERS} />
      <DataList
        name="Companies to check"
        columns={COLUMNS}
        queryKey={['companies', query]}
        first={() => call('listCompaniesToCheck', { query })}
        rowId={company => `${company.company_key} ${company.waits_for}`}
        empty="No company waits. One does if no registry answers for it, and once it has signed."
      />
    </Stack>
  )
}
