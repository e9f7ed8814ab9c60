/** A partner's decisions, and whether writes by its users require them. */
import type { Decision } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { call } from '../kit/api.ts'
import { momentOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { count } from '../kit/format.ts'
import { statusesOf } from '../kit/machine.ts'
import { PageLink } from '../kit/page-link.tsx'
import { DecisionsGate } from './decisions-gate.tsx'

const route = getRouteApi('/p/$partner/decisions')

const FILTERS: readonly Filter[] = [
  { kind: 'many', name: 'status', label: 'Status', options: statusesOf('decision') },
]

/** Columns of a list of decisions; `partnerOf` returns the id of a decision's partner. */
export function decisionColumns<D extends Decision>(
  partnerOf: (decision: D) => string,
): readonly Column<D>[] {
  return [
    {
      id: 'title',
      header: 'Decision',
      text: decision => decision.title,
      cell: decision => (
        <PageLink
          to="/p/$partner/decision/$decision"
          params={{ partner: partnerOf(decision), decision: decision.id }}
        >
          {decision.title}
        </PageLink>
      ),
    },
    status(decision => decision.status),
    plain('proposer', 'Proposed by', decision => decision.proposer.name),
    {
      id: 'steps',
      header: 'Steps',
      numeric: true,
      text: decision => count(decision.operations.length),
    },
    plain('reviewer', 'Reviewed by', decision => decision.reviewer?.name),
    momentOf('created_at', 'Proposed', decision => decision.created_at),
    momentOf('expires_at', 'Good until', decision => decision.expires_at),
  ]
}

export function DecisionsPage() {
  const { partner } = route.useParams()
  const query = useListQuery(FILTERS)
  return (
    <Stack>
      <PageHead title="Decisions" info="What agents want to do, and people approve first" />
      <DecisionsGate partner={partner} />
      <Filters of={FILTERS} />
      <DataList
        name="Decisions"
        queryKey={['decisions', partner, query]}
        first={() => call('listDecisions', { query: query as object, partner })}
        partner={partner}
        columns={decisionColumns(() => partner)}
        rowId={decision => decision.id}
        empty="No decisions here. An agent that wants to write proposes one, and waits."
      />
    </Stack>
  )
}
