/** The unfinished background jobs, refreshed live, and the latest business days. */
import type { Backlog } from '@headroom/contract'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { dayOf, momentOf, plain } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { count, words } from '../kit/format.ts'
import { Live } from '../kit/live.tsx'
import { Rows } from '../kit/rows.tsx'

const LIVE_MS = 3_000

const number = (
  id: 'waiting' | 'running' | 'failed',
  header: string,
): Column<Backlog['queues'][number]> => ({
  id,
  header,
  numeric: true,
  text: queue => count(queue[id]),
})

const QUEUES: readonly Column<Backlog['queues'][number]>[] = [
  plain('name', 'Work', queue => words(queue.name)),
  number('waiting', 'Waiting'),
  number('running', 'Running'),
  number('failed', 'To be tried again'),
  momentOf('oldest_at', 'Oldest since', queue => queue.oldest_at),
]

const DAYS: readonly Column<Backlog['days'][number]>[] = [
  dayOf('business_date', 'Business day', one => one.business_date),
  momentOf('finished_at', 'Done at', one => one.finished_at),
]

const sumOf = (queues: Backlog['queues'], of: 'waiting' | 'running' | 'failed') =>
  queues.reduce((sum, queue) => sum + queue[of], 0)

export function JobsPage() {
  const backlog = useQuery({
    queryKey: ['jobs'],
    queryFn: () => call('getBacklog'),
    refetchInterval: LIVE_MS,
  })
  return (
    <Stack>
      <PageHead title="Jobs" info={<Live of={backlog} every_ms={LIVE_MS} />} />
      <QueryResult of={backlog}>
        {({ queues, days }) => (
          <>
            <Section title="Still to do">
              <Text role="status">
                {count(sumOf(queues, 'waiting') + sumOf(queues, 'failed'))} jobs wait,{' '}
                {count(sumOf(queues, 'running'))} run.
              </Text>
              {queues.length > 0 && (
                <Rows
                  columns={QUEUES}
                  rows={queues}
                  rowId={queue => queue.name}
                  label="Still to do"
                  csv
                />
              )}
            </Section>
            <Section title="Business days">
              {days.length === 0 && (
                <Text c="dimmed">No day is done yet. The work of each begins as it does.</Text>
              )}
              {days.length > 0 && (
                <Rows
                  columns={DAYS}
                  rows={days}
                  rowId={one => one.business_date}
                  label="Business days"
                  csv
                />
              )}
            </Section>
          </>
        )}
      </QueryResult>
    </Stack>
  )
}
