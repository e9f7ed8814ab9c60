/** One decision: the effect and exact payload of each step, and its review. */
import type { Decision, PlannedOperation } from '@headroom/contract'
import { Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Action, type Values } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { momentOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { describeEffect } from '../kit/describe-write.ts'
import { Facts, Json, PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { moment } from '../kit/format.ts'
import { blockedReason } from '../kit/machine.ts'
import { useIsLender } from '../kit/session.tsx'
import { Status } from '../kit/status.tsx'
import { OwnDecision } from './decision-own.tsx'
import { StepsInWords, useStepFacts } from './decision-steps.tsx'

const route = getRouteApi('/p/$partner/decision/$decision')

export function DecisionPage() {
  const { partner, decision: decision_id } = route.useParams()
  const decision = useQuery({
    queryKey: ['decision', decision_id],
    queryFn: async () => {
      const params = { decision_id }
      const [found, { is_own }] = await Promise.all([
        call('getDecision', { params, partner }),
        call('getDecisionProposer', { params }),
      ])
      return { decision: found, is_own }
    },
  })
  return (
    <QueryResult of={decision} title="Decision">
      {data => <Page {...data} partner={partner} />}
    </QueryResult>
  )
}

interface Props {
  readonly decision: Decision
  /** Whether the signed-in operator proposed it. */
  readonly is_own: boolean
  readonly partner: string
}

function Page({ decision, is_own, partner }: Props) {
  const { title, rationale, proposer, reviewer, comment, operations } = decision
  return (
    <Stack>
      <PageHead
        title={title}
        status={decision.status}
        info={`Proposed by ${proposer.name}`}
        actions={
          <>
            <Review decision={decision} is_own={is_own} partner={partner} />
            {is_own && <OwnDecision decision={decision} partner={partner} />}
          </>
        }
      />
      <Section title="Why">
        <Text style={{ whiteSpace: 'pre-wrap' }}>{rationale}</Text>
      </Section>
      <Section title="Four eyes">
        <Facts
          of={[
            ['Proposed by', `${proposer.name}, ${moment(decision.created_at)}`],
            [
              'Reviewed by',
              reviewer ? `${reviewer.name}, ${moment(decision.reviewed_at)}` : 'Nobody yet',
            ],
            ['Comment', comment],
            ['Good until', moment(decision.expires_at)],
          ]}
        />
      </Section>
      {operations.map(operation => (
        <Step
          key={operation.step}
          operation={operation}
          version={decision.version}
          partner={partner}
          of={operations.length}
        />
      ))}
      <Attempts decision_id={decision.id} partner={partner} />
      <Json of={decision} />
    </Stack>
  )
}

interface StepProps {
  readonly operation: PlannedOperation
  readonly version: Decision['version']
  readonly of: number
  readonly partner: string
}

function Step({ operation, version, of, partner }: StepProps) {
  const { step, method, path, body, response, executed_at } = operation
  const facts = useStepFacts({ operation, partner })
  return (
    <Section
      title={`Step ${step} of ${of}: ${describeEffect(operation)}`}
      actions={<Status value={operation.status} />}
    >
      {facts.length > 0 && <Facts of={facts} />}
      <Text size="sm" c="dimmed">
        Exactly this is sent, in version {version}, and nothing else:
      </Text>
      <Code block tabIndex={0} aria-label={`Payload of step ${step}`}>
        {`${method} ${path}${body == null ? '' : `\n${JSON.stringify(body, null, 2)}`}`}
      </Code>
      {response && (
        <Text size="sm">
          Done {moment(executed_at)}, answered {response.status}.
        </Text>
      )}
    </Section>
  )
}

/** Lender operators review for the lender, partner users for the partner. */
function Review({ decision, is_own, partner }: Props) {
  const isLender = useIsLender()
  const own = is_own ? 'You cannot review your own proposal.' : null
  const { id: decision_id, operations, proposer } = decision
  const review = (verb: 'approve' | 'reject') => (values: Values) => {
    const input = { params: { decision_id }, body: { comment: values.comment || null } }
    if (isLender) return call(`${verb}ForLender`, input)
    return call(`${verb}Decision`, { ...input, partner })
  }
  const fields = [{ name: 'comment', label: 'Comment', kind: 'long', optional: true }] as const
  return (
    <Group gap="xs">
      <Action
        label="Approve"
        variant="filled"
        disabledReason={blockedReason('decision', decision.status, 'approve') ?? own}
        info={
          <>
            {proposer.name} may then do exactly this, once, until {moment(decision.expires_at)}:
            <StepsInWords of={operations} partner={partner} />
          </>
        }
        fields={fields}
        run={review('approve')}
        done="Approved."
      />
      <Action
        label="Reject"
        color="red"
        disabledReason={blockedReason('decision', decision.status, 'reject') ?? own}
        info={`It will not be executed. ${proposer.name} can read your comment.`}
        fields={fields}
        run={review('reject')}
        done="Rejected."
      />
    </Group>
  )
}

type Attempt = Awaited<ReturnType<typeof call<'listDecisionAttempts'>>>['data'][number]

const ATTEMPTS: readonly Column<Attempt>[] = [
  momentOf('at', 'At', attempt => attempt.at),
  plain('caller', 'By', attempt => attempt.caller.name),
  plain('what', 'What', attempt => `${attempt.method} ${attempt.path}`),
  status(attempt => attempt.outcome, 'Outcome'),
  plain('code', 'Refused as', attempt => attempt.code),
]

function Attempts({ decision_id, partner }: { decision_id: string; partner: string }) {
  return (
    <Section title="Attempts">
      <DataList
        name="Attempts"
        queryKey={['attempts', decision_id]}
        first={() => call('listDecisionAttempts', { query: { decision_id }, partner })}
        partner={partner}
        columns={ATTEMPTS}
        rowId={attempt => attempt.id}
        empty="Nobody has tried to carry out a step yet."
      />
    </Section>
  )
}
