/** Building blocks of pages, such as the head, facts, tabs and sections. */
import {
  Card,
  Code,
  Group,
  Loader,
  SimpleGrid,
  Stack,
  Tabs,
  Text,
  Timeline,
  Title,
} from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { moment, words } from './format.ts'
import { usePageQuery } from './page-query.ts'
import { ProblemAlert } from './problem-alert.tsx'
import { Status } from './status.tsx'

/** Renders the data once it has loaded; until then a spinner or the error. */
export function QueryResult<T>({ of, title, children }: LoadedProps<T>) {
  if (of.data !== undefined) return children(of.data)
  // A separate key, so that React does not keep the heading of the loading state for the page.
  return (
    <Stack key="loading" align="start">
      {title && <PageHead title={title} />}
      {of.error ? <ProblemAlert error={of.error} /> : <Loader role="status" aria-label="Loading" />}
    </Stack>
  )
}

interface LoadedProps<T> {
  readonly of: UseQueryResult<T>
  /** The page title while loading, if the whole page waits for this query. */
  readonly title?: string
  readonly children: (data: T) => ReactNode
}

interface HeadProps {
  readonly title: string
  readonly status?: string | undefined
  /** The line below the title, such as the owner or the reason. */
  readonly info?: ReactNode
  readonly actions?: ReactNode
}

export function PageHead({ title, status, info, actions }: HeadProps) {
  useEffect(() => {
    document.title = `${title} · Headroom`
  }, [title])
  return (
    <Group justify="space-between" align="start">
      <Stack gap={4}>
        <Group gap="sm">
          <Title order={1} size="h2">
            {title}
          </Title>
          {status && <Status value={status} />}
        </Group>
        {info && <Text c="dimmed">{info}</Text>}
      </Stack>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
  )
}

export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2, lg: 3 }} spacing="md" m={0}>
      {of.map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
            {value === null || value === undefined || value === '' ? '–' : value}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  )
}

interface LazyTabsProps {
  readonly of: Readonly<Record<string, { readonly label: string; readonly show: () => ReactNode }>>
}

/** Tabs of a page. The URL names the open tab; the others are not mounted and load nothing. */
export function PageTabs({ of }: LazyTabsProps) {
  const { pageQuery, setPageQuery } = usePageQuery()
  const names = Object.keys(of)
  const shown = names.find(name => name === pageQuery.tab) ?? names[0]!
  return (
    <Tabs
      value={shown}
      onChange={tab => setPageQuery({ tab: tab ?? undefined })}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        {names.map(name => (
          <Tabs.Tab key={name} value={name}>
            {of[name]!.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={shown}>{of[shown]!.show()}</Tabs.Panel>
    </Tabs>
  )
}

interface SectionProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Section({ title, actions, children }: SectionProps) {
  return (
    <Card withBorder component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {title}
          </Title>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
        {children}
      </Stack>
    </Card>
  )
}

export interface Step {
  readonly at: string
  readonly what: string
  readonly info?: ReactNode
}

const PLAIN = { p: 0, m: 0, style: { listStyle: 'none' } }

export function History({ of }: { of: readonly Step[] }) {
  return (
    <Timeline active={of.length - 1} bulletSize={14} lineWidth={2} component="ol" {...PLAIN}>
      {of.map(({ at, what, info }) => (
        <Timeline.Item key={`${at} ${what}`} title={words(what)} component="li">
          {info && <Text size="sm">{info}</Text>}
          <Text size="xs" c="dimmed">
            {moment(at)}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  )
}

export function Json({ of }: { of: unknown }) {
  return (
    <details>
      <Text component="summary" size="sm">
        As the interface answers it
      </Text>
      <Code block mt="xs" mah={480} style={{ overflow: 'auto' }} tabIndex={0}>
        {JSON.stringify(of, null, 2)}
      </Code>
    </details>
  )
}
