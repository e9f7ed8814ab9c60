/** Advances the sandbox clock day by day and shows the progress. */
import { Button, Group, NumberInput, Progress, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../kit/api.ts'
import { Facts, QueryResult, Section } from '../kit/detail.tsx'
import { count, day, moment } from '../kit/format.ts'
import { ProblemAlert } from '../kit/problem-alert.tsx'

const DAYS_MAX = 400
const CLOCK_NOTE = `All that falls due on the way is done, in order. There is no way back. When you
  leave this page it stops after that day.`

interface ClockProgress {
  readonly of: number
  readonly done: number
  readonly jobs: number
}

export function SandboxClock({ partner }: { partner: string }) {
  const clock = useQuery({
    queryKey: ['clock'],
    queryFn: () => call('getSandboxClock', { partner }),
  })
  return (
    <Section title="Clock">
      <QueryResult of={clock}>
        {({ now, business_date }) => (
          <Facts
            of={[
              ['Business day', day(business_date)],
              ['Now', moment(now)],
            ]}
          />
        )}
      </QueryResult>
      <Advance partner={partner} />
    </Section>
  )
}

function Advance({ partner }: { partner: string }) {
  const client = useQueryClient()
  const [typed, setTyped] = useState<number | string>(1)
  const days = Math.min(DAYS_MAX, Math.max(1, Math.floor(Number(typed) || 1)))
  const [progress, setProgress] = useState<ClockProgress | null>(null)
  const [error, setError] = useState<unknown>(null)
  const stopped = useRef(false)
  // Stops when the operator leaves the page and can no longer press the stop button.
  useEffect(() => {
    const stop = () => {
      stopped.current = true
    }
    return stop
  }, [])
  const busy = progress !== null && progress.done < progress.of && !error

  /** One day per call, so that progress shows and the operator can stop. */
  const go = async () => {
    stopped.current = false
    setError(null)
    let latest: ClockProgress = { of: days, done: 0, jobs: 0 }
    setProgress(latest)
    try {
      while (latest.done < days && !stopped.current) {
        const { jobs_run } = await call('advanceSandboxClock', { body: { days: 1 }, partner })
        latest = { of: days, done: latest.done + 1, jobs: latest.jobs + jobs_run }
        setProgress(latest)
        await client.invalidateQueries({ queryKey: ['clock'] })
      }
      setProgress({ ...latest, of: latest.done })
    } catch (refused) {
      setError(refused)
    } finally {
      await client.invalidateQueries()
    }
  }
  return (
    <Stack>
      <Group align="end">
        <NumberInput
          label="Days forward"
          description={CLOCK_NOTE}
          min={1}
          max={DAYS_MAX}
          allowDecimal={false}
          value={typed}
          onChange={setTyped}
          onKeyDown={({ key }) => key === 'Enter' && void go()}
          disabled={busy}
        />
        <Button onClick={go} loading={busy}>
          Advance
        </Button>
        {busy && (
          <Button variant="default" onClick={() => (stopped.current = true)}>
            Stop after this day
          </Button>
        )}
      </Group>
      {progress && <ProgressBar progress={progress} />}
      <ProblemAlert error={error} />
    </Stack>
  )
}

function ProgressBar({ progress }: { progress: ClockProgress }) {
  return (
    <>
      <Progress.Root size="lg">
        <Progress.Section
          value={progress.of === 0 ? 100 : (100 * progress.done) / progress.of}
          aria-label="Days gone"
        />
      </Progress.Root>
      <Text role="status">
        {count(progress.done)} of {count(progress.of)} days, {count(progress.jobs)} jobs done.
      </Text>
    </>
  )
}
