/** Shows an error: what went wrong and what to do. */
import { Alert, List, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Problem } from './api.ts'

export function problemText(error: unknown): string {
  if (error instanceof Problem) return error.message
  return 'The server does not answer. Look at your connection, try again.'
}

export function ProblemAlert({ error }: { error: unknown }) {
  if (!error) return null
  const problem = error instanceof Problem ? error : null
  return (
    <Alert color="red" icon={<IconAlertTriangle />} role="alert" title={problemText(error)}>
      {problem && problem.invalid_params.length > 0 && (
        <List size="sm">
          {problem.invalid_params.map(({ name, reason }) => (
            <List.Item key={name}>
              {name} {reason}
            </List.Item>
          ))}
        </List>
      )}
      {problem?.request_id && (
        <Text size="xs" c="dimmed">
          {problem.code} · {problem.request_id}
        </Text>
      )}
    </Alert>
  )
}
