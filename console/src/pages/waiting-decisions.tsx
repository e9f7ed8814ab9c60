/** Decisions of all partners that await review. */
import type { WaitingDecision } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { call } from '../kit/api.ts'
import { plain } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { decisionColumns } from './decisions.tsx'

const COLUMNS: readonly Column<WaitingDecision>[] = [
  ...decisionColumns<WaitingDecision>(decision => decision.partner_id),
  plain('partner', 'Partner', decision => decision.partner),
]

export function WaitingDecisionsPage() {
  return (
    <Stack>
      <PageHead title="Decisions" info="What agents of all partners want to do, oldest first" />
      <DataList
        name="Decisions"
        queryKey={['decisions', 'waiting']}
        first={() => call('listWaitingDecisions')}
        columns={COLUMNS}
        rowId={decision => decision.id}
        empty="No agent waits. What one proposes to do is listed here until somebody reviews it."
      />
    </Stack>
  )
}
