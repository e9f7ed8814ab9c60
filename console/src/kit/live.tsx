/** Shows when polled data was last refreshed, or that the server no longer responds. */
import { Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { timeOfDay } from './format.ts'

interface Props {
  readonly of: Pick<UseQueryResult, 'dataUpdatedAt' | 'error'>
  readonly every_ms: number
}

export function Live({ of: { dataUpdatedAt, error }, every_ms }: Props) {
  const at = dataUpdatedAt > 0 && timeOfDay(new Date(dataUpdatedAt))
  const last = at ? `last at ${at}` : 'not yet'
  return (
    <Text component="span" size="sm" c={error ? 'red' : 'dimmed'}>
      {error
        ? `Not answered: ${error.message} What is shown may be old, ${last}.`
        : `Live: looked at every ${every_ms / 1000} seconds, ${last}.`}
    </Text>
  )
}
