/** What needs attention, by kind: the count, the time of the oldest, and a link to the list. */
import { Table, Text } from '@mantine/core'
import { count, moment } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'

export interface Work {
  readonly info: string
  readonly to: string
  readonly params?: Readonly<Record<string, string>>
  readonly search?: Readonly<Record<string, string>>
}

export interface WorkCount extends Work {
  /** Null if there are too many to count. */
  readonly waiting: number | null
  readonly oldest_at?: string
}

export function WorkTable({ of }: { of: readonly WorkCount[] }) {
  if (of.length === 0) {
    return (
      <Text c="dimmed">Nothing waits. What needs a decision of yours will be listed here.</Text>
    )
  }
  const dated = of.some(work => work.oldest_at)
  return (
    <Table aria-label="Needs attention">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">What</Table.Th>
          <Table.Th scope="col" ta="right">
            Waiting
          </Table.Th>
          {dated && <Table.Th scope="col">Since</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {of.map(({ info, to, params = {}, search = {}, waiting, oldest_at }) => (
          <Table.Tr key={info}>
            <Table.Td>
              <PageLink to={to} params={params} search={search}>
                {info}
              </PageLink>
            </Table.Td>
            <Table.Td ta="right">{waiting === null ? 'Many' : count(waiting)}</Table.Td>
            {dated && <Table.Td>{moment(oldest_at)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
