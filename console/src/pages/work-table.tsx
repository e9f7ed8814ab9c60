/** What waits for a person, by kind: how many, since when, and the way to the list of them. */
import { Table, Text } from '@mantine/core'
import { count, moment } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'

export interface Work {
  readonly says: string
  readonly to: string
  readonly params?: Readonly<Record<string, string>>
  readonly search?: Readonly<Record<string, string>>
}

export interface Waiting extends Work {
  /** Null where they are too many to be counted. */
  readonly waiting: number | null
  /** Since when the oldest waits, where that is known. */
  readonly oldest_at?: string
}

export function WorkTable({ of }: { of: readonly Waiting[] }) {
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
        {of.map(({ says, to, params = {}, search = {}, waiting, oldest_at }) => (
          <Table.Tr key={says}>
            <Table.Td>
              <PageLink {...{ to, params, search }}>{says}</PageLink>
            </Table.Td>
            <Table.Td ta="right">{waiting === null ? 'Many' : count(waiting)}</Table.Td>
            {dated && <Table.Td>{moment(oldest_at)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
