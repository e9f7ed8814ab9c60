/** The checklist before lending real money: the same list that `headroom live check` prints. */
import type { LiveRequirement } from '@headroom/contract'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { plain, status } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { words } from '../kit/format.ts'
import { Rows } from '../kit/rows.tsx'

const COLUMNS: readonly Column<LiveRequirement>[] = [
  plain('name', 'Requirement', one => one.name),
  status(one => one.state),
  plain('detail', 'Finding', one => one.detail),
  plain('next_step', 'Next step', one => one.next_step),
]

function summaryOf(requirements: readonly LiveRequirement[], mode: 'sandbox' | 'live'): string {
  const missing = requirements.filter(one => one.state === 'MISSING')
  if (missing.length === 0) return 'Nothing is missing: you can lend.'
  const starting = missing.filter(one => one.needed_for === 'START').length
  const later = missing.length - starting
  const here = mode === 'sandbox' ? ' This is a sandbox, which stays one.' : ''
  return `${starting} missing for a live start, ${later} before you lend.${here}`
}

export function GoingLivePage() {
  const found = useQuery({ queryKey: ['going-live'], queryFn: () => call('getGoingLive') })
  return (
    <Stack>
      <PageHead title="Going live" info="What you need before you lend real money" />
      <QueryResult of={found}>
        {({ mode, requirements }) => (
          <>
            <Text role="status">{summaryOf(requirements, mode)}</Text>
            {[...Map.groupBy(requirements, one => one.area)].map(([area, rows]) => (
              <Section key={area} title={words(area)}>
                <Rows
                  columns={COLUMNS}
                  rows={rows}
                  rowId={one => `${one.name} ${one.detail}`}
                  label={words(area)}
                />
              </Section>
            ))}
          </>
        )}
      </QueryResult>
    </Stack>
  )
}
