/** Describes the steps of a decision: the effect, the resources and their current state. */
import type { PlannedOperation } from '@headroom/contract'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ResourceLink } from '../kit/columns.tsx'
import { describeBody, describeEffect } from '../kit/describe-write.ts'
import { shortId, words } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { idsInBody, readTargets, type Target, type Targets } from './decision-targets.ts'

const NOT_YET: Targets = { targets: [], now: {} }

/** The resources a step concerns, and its fields as readable names and values. */
function useStep(operation: PlannedOperation, partner: string) {
  const { path, body, status } = operation
  const { data = NOT_YET, isPending } = useQuery({
    queryKey: ['decision-targets', partner, path, JSON.stringify(body)],
    queryFn: () => readTargets(operation, partner),
  })
  const resolved = new Set(idsInBody(body).keys())
  // Once a step is executed, the current values include its changes.
  const now = status === 'PLANNED' ? data.now : {}
  const fields = Object.fromEntries(
    Object.entries((body ?? {}) as object).filter(([name]) => !resolved.has(name)),
  )
  return { targets: data.targets, info: describeBody(fields, now), isPending }
}

interface Props {
  readonly operation: PlannedOperation
  readonly partner: string
}

/** The kinds of targets that have a page of the same name. */
const PAGES = ['loan', 'bill', 'borrower', 'card', 'invoice', 'case', 'webhook']

function TargetLink({ target, partner }: { target: Target; partner: string }) {
  const { kind, id, info } = target
  if (info === null) return <ResourceLink id={id} />
  if (!PAGES.includes(kind)) return info
  return (
    <PageLink to={`/p/$partner/${kind}/$${kind}`} params={{ partner, [kind]: id }}>
      {info}
    </PageLink>
  )
}

const nameOf = ({ kind }: Target) => words(kind.replaceAll('-', '_'))

/**
 * The step's resources and fields, as names and values for `Facts`. Links resources with a page.
 */
export function useStepFacts({ operation, partner }: Props): (readonly [string, ReactNode])[] {
  const { targets, info } = useStep(operation, partner)
  const links = targets.map(
    target =>
      [
        nameOf(target),
        <TargetLink key={`${target.kind} ${target.id}`} target={target} partner={partner} />,
      ] as const,
  )
  return [...links, ...info]
}

export function StepsInWords({
  of,
  partner,
}: {
  of: readonly PlannedOperation[]
  partner: string
}) {
  return (
    <ol>
      {of.map(operation => (
        <li key={operation.step}>
          {describeEffect(operation)}
          <StepInWords operation={operation} partner={partner} />
        </li>
      ))}
    </ol>
  )
}

function StepInWords({ operation, partner }: Props) {
  const { targets, info, isPending } = useStep(operation, partner)
  if (isPending) return <Text c="dimmed">…</Text>
  return (
    <>
      {targets.map(target => (
        <Text key={`${target.kind} ${target.id}`} size="sm" fw={600}>
          {nameOf(target)}: {target.info ?? shortId(target.id)}
        </Text>
      ))}
      {info.map(([name, value]) => (
        <Text key={name} size="sm" c="dimmed">
          {name}: {value}
        </Text>
      ))}
    </>
  )
}
