/** A company's file: its data, people, screenings, reviews and evidence. */
import type { CompanyFile, CompanyProposal, Screening } from '@headroom/contract'
import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { dayOf, momentOf, plain, status } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { Facts, Json, PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { day, moment, regionName, words } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'
import { Rows } from '../kit/rows.tsx'
import { HitActions, ProposalActions, ReviewActions, ScreenSubject } from './company-actions.tsx'
import { EnterCompany, EntryFacts } from './company-entry.tsx'

export function CompanyPage() {
  const { company: company_key } = usePageParams<'company'>()
  const file = useQuery({
    queryKey: ['company', company_key],
    queryFn: () => call('getCompanyFile', { params: { company_key } }),
  })
  return (
    <QueryResult of={file} title="Company">
      {data => (
        <Stack>
          <PageHead
            title={data.name ?? data.identifier}
            status={data.outcome ?? 'REVIEWING'}
            info={`${data.identifier}, ${regionName(data.country)}`}
            actions={<ReviewActions file={data} />}
          />
          <Review file={data} />
          <RegistryData file={data} />
          <Subjects file={data} />
          <Hits file={data} />
          <Proposals file={data} />
          <Borrowers file={data} />
          <Json of={data} />
        </Stack>
      )}
    </QueryResult>
  )
}

function Review({ file }: { file: CompanyFile }) {
  return (
    <Section title="Review">
      <Facts
        of={[
          ['Risk class', words(file.risk_class)],
          ['Review due', day(file.review_due_on)],
          ['Screening due', day(file.screening_due_on)],
          ['Missing for an approval', file.missing.join('; ')],
        ]}
      />
    </Section>
  )
}

function RegistryData({ file }: { file: CompanyFile }) {
  const { registry, proposals, identifier, country } = file
  const entries = proposals.filter(({ kind }) => kind === 'ENTRY')
  const waiting = entries.find(proposal => proposal.status === 'PROPOSED')
  const shown = waiting ?? entries.find(proposal => proposal.status === 'CONFIRMED')
  const number = {
    identifier,
    identifier_type: file.identifier_type as 'siren',
    country: country as 'FR',
  }
  return (
    <Section
      title="Registry data"
      actions={
        <EnterCompany
          number={number}
          disabledReason={waiting ? 'Another entry waits: confirm or reject it first.' : null}
        />
      }
    >
      {registry && (
        <Facts
          of={[
            ['Answer', words(registry.result)],
            ['Source', registry.source],
            ['Answered', moment(registry.fetched_at)],
            ['Usable until', day(registry.usable_until)],
            ['No answer since', moment(registry.unavailable_since)],
          ]}
        />
      )}
      {shown?.entry ? (
        <EntryFacts entry={shown.entry} />
      ) : (
        <Text c="dimmed">No operator has entered this company.</Text>
      )}
    </Section>
  )
}

type Subject = CompanyFile['subjects'][number]

function Subjects({ file }: { file: CompanyFile }) {
  const columns: readonly Column<Subject>[] = [
    plain('name', 'Name', subject => subject.name),
    plain('kind', 'Role', subject => words(subject.kind)),
    dayOf('due', 'Screening due', subject => subject.due_again_on),
    {
      id: 'actions',
      header: 'What to do',
      text: () => '',
      acts: true,
      cell: subject => <ScreenSubject company_key={file.company_key} subject={subject} />,
    },
  ]
  return (
    <Section title="The company and its people">
      <Rows
        label="The company and its people"
        columns={columns}
        rows={file.subjects}
        rowId={subject => `${subject.kind} ${subject.name}`}
      />
    </Section>
  )
}

interface HitRow {
  readonly screening: Screening
  readonly hit: Screening['hits'][number] | null
}

function Hits({ file }: { file: CompanyFile }) {
  const rows = file.screenings.flatMap((screening): HitRow[] =>
    screening.hits.length === 0
      ? [{ screening, hit: null }]
      : screening.hits.map(hit => ({ screening, hit })),
  )
  const columns: readonly Column<HitRow>[] = [
    plain('who', 'Screened', row => row.screening.subject_name),
    plain('lists', 'Lists', row => row.screening.lists),
    plain('hit', 'Hit', row => row.hit?.listed ?? 'None'),
    plain('outcome', 'Outcome', row => row.hit && (words(row.hit.outcome) || 'Undecided')),
    plain('by', 'Screened by', row => row.screening.screened_by),
    momentOf('at', 'Screened at', row => row.screening.screened_at),
    evidenceColumn(row => row.screening.evidence),
    {
      id: 'actions',
      header: 'What to do',
      text: () => '',
      acts: true,
      cell: ({ hit, screening }) =>
        hit && (
          <Group gap="xs" wrap="nowrap">
            <HitActions file={file} hit={hit} name={screening.subject_name} />
          </Group>
        ),
    },
  ]
  return (
    <Section title="Screenings">
      {rows.length === 0 ? (
        <Text c="dimmed">Nobody has been screened yet.</Text>
      ) : (
        <Rows
          label="Screenings"
          columns={columns}
          rows={rows}
          rowId={row => row.hit?.id ?? row.screening.id}
        />
      )}
    </Section>
  )
}

type Evidence = CompanyProposal['evidence']

function evidenceColumn<Row>(read: (row: Row) => Evidence): Column<Row> {
  return {
    id: 'evidence',
    header: 'Evidence',
    text: row =>
      read(row)
        .map(one => one.title)
        .join(', ') || '–',
    cell: row => (
      <Stack gap={0}>
        {read(row).map(({ id, title, url, sha256 }) => (
          <Anchor
            key={id}
            href={url}
            target="_blank"
            rel="noreferrer"
            underline="always"
            title={`SHA-256 ${sha256}`}
          >
            {title}
          </Anchor>
        ))}
      </Stack>
    ),
  }
}

const PROPOSALS: readonly Column<CompanyProposal>[] = [
  plain('kind', 'Proposal', proposal =>
    [words(proposal.kind), proposal.risk_class && `risk ${proposal.risk_class.toLowerCase()}`]
      .filter(Boolean)
      .join(', '),
  ),
  status(proposal => proposal.status),
  plain('reason', 'Reason', proposal => proposal.reason),
  plain('by', 'Proposed by', proposal => proposal.proposed_by),
  momentOf('at', 'Proposed', proposal => proposal.proposed_at),
  plain('decided_by', 'Decided by', proposal => proposal.decided_by),
  momentOf('decided_at', 'Decided', proposal => proposal.decided_at),
  evidenceColumn(proposal => proposal.evidence),
  {
    id: 'actions',
    header: 'What to do',
    text: () => '',
    acts: true,
    cell: proposal =>
      proposal.status === 'PROPOSED' && (
        <Group gap="xs" wrap="nowrap">
          <ProposalActions proposal={proposal} />
        </Group>
      ),
  },
]

function Proposals({ file }: { file: CompanyFile }) {
  return (
    <Section title="Proposals and decisions">
      {file.proposals.length === 0 ? (
        <Text c="dimmed">Nothing was proposed yet.</Text>
      ) : (
        <Rows
          label="Proposals and decisions"
          columns={PROPOSALS}
          rows={file.proposals}
          rowId={proposal => proposal.id}
        />
      )}
    </Section>
  )
}

type BorrowerRow = CompanyFile['borrowers'][number]

const BORROWERS: readonly Column<BorrowerRow>[] = [
  {
    id: 'partner',
    header: 'Partner',
    text: borrower => borrower.partner,
    cell: ({ id, partner_id, partner }) => (
      <PageLink
        to="/p/$partner/borrower/$borrower"
        params={{ partner: partner_id, borrower: id }}
        search={{ tab: 'kyb' }}
      >
        {partner}
      </PageLink>
    ),
  },
  status(borrower => borrower.status),
  status(borrower => borrower.compliance_status, 'KYB'),
]

function Borrowers({ file }: { file: CompanyFile }) {
  return (
    <Section title="Borrowers">
      {file.borrowers.length === 0 ? (
        <Text c="dimmed">No partner has this company as a borrower.</Text>
      ) : (
        <Rows
          label="Borrowers"
          columns={BORROWERS}
          rows={file.borrowers}
          rowId={borrower => borrower.id}
        />
      )}
    </Section>
  )
}
