/** Controls of a sandbox, with a tab for each simulated part. */
import { Stack, Tabs, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { PageHead } from '../kit/detail.tsx'
import { usePageQuery } from '../kit/page-query.ts'
import { useMayWrite, useSignedIn } from '../kit/session.tsx'
import { SandboxBank } from './sandbox-bank.tsx'
import { SandboxCards } from './sandbox-cards.tsx'
import { SandboxClock } from './sandbox-clock.tsx'
import { SandboxMailbox } from './sandbox-mailbox.tsx'
import { SandboxReviews } from './sandbox-reviews.tsx'

const route = getRouteApi('/p/$partner/sandbox')

const PARTS = {
  clock: 'Clock',
  bank: 'Bank',
  reviews: 'KYB',
  cards: 'Cards',
  mailbox: 'Mailbox',
} as const

export function SandboxPage() {
  const { partner } = route.useParams()
  const { pageQuery, setPageQuery } = usePageQuery()
  const mayWrite = useMayWrite()
  const { mode } = useSignedIn()
  if (mode === 'live') {
    return <PageHead title="There is no such page" info="Only a sandbox has one." />
  }
  const head = <PageHead title="Sandbox" info="Nothing here reaches the world outside" />
  // A viewer may not write, and nearly all controls of this page do.
  if (!mayWrite) {
    return (
      <Stack>
        {head}
        <Text c="dimmed">Your role may look, and change nothing.</Text>
      </Stack>
    )
  }
  const part = typeof pageQuery.part === 'string' ? pageQuery.part : 'clock'
  return (
    <Stack>
      {head}
      <Tabs
        value={part}
        onChange={value => setPageQuery({ part: value ?? undefined })}
        keepMounted={false}
        keepMountedMode="display-none"
      >
        <Tabs.List mb="md">
          {Object.entries(PARTS).map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {/* Stays mounted, so that the clock keeps advancing while another tab is open. */}
        <Tabs.Panel value="clock" keepMounted>
          <SandboxClock partner={partner} />
        </Tabs.Panel>
        <Tabs.Panel value="bank">
          <SandboxBank partner={partner} />
        </Tabs.Panel>
        <Tabs.Panel value="reviews">
          <SandboxReviews partner={partner} />
        </Tabs.Panel>
        <Tabs.Panel value="cards">
          <SandboxCards partner={partner} />
        </Tabs.Panel>
        <Tabs.Panel value="mailbox">
          <SandboxMailbox partner={partner} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}
