/** Proposes a decision, for partners whose users may not write directly. */
import { Alert, Button, Stack, Text, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, captureWrite, Problem } from './api.ts'
import { ProblemAlert } from './problem-alert.tsx'

/** Whether the server refused a write because it requires a decision. */
export function requiresDecision(error: unknown): boolean {
  return error instanceof Problem && error.code === 'decision_required'
}

interface Props {
  /** The title that reviewers see. */
  readonly title: string
  readonly run: () => Promise<unknown>
  readonly close: () => void
}

/** Asks for a reason and proposes the write that `run` would have sent. */
export function Proposal({ title, run, close }: Props) {
  const client = useQueryClient()
  const [why, setWhy] = useState('')
  const proposal = useMutation({
    mutationFn: async () => {
      const { method, path, body, partner } = await captureWrite(run)
      const operation = { method: method as 'POST', path, ...(body !== undefined && { body }) }
      const input = { title, rationale: why.trim(), operations: [operation] }
      return call('proposeDecision', { body: input, partner })
    },
    onSuccess: async () => {
      notifications.show({
        color: 'green',
        message: 'Proposed. Once somebody else has approved it, carry it out from Decisions.',
      })
      close()
      await client.invalidateQueries()
    },
  })
  return (
    <Alert color="orange" title="It takes a decision" role="status">
      <Stack gap="xs">
        <Text size="sm">
          People of this partner write nothing that was not proposed and approved before.
        </Text>
        <Textarea
          label="Why it should be done"
          required
          autosize
          value={why}
          onChange={({ currentTarget }) => setWhy(currentTarget.value)}
        />
        <ProblemAlert error={proposal.error} />
        <Button
          onClick={() => proposal.mutate()}
          loading={proposal.isPending}
          disabled={why.trim() === ''}
        >
          Propose it
        </Button>
      </Stack>
    </Alert>
  )
}
