/** Sets up the second factor: an authenticator app scans the secret, a code confirms it. */
import {
  Alert,
  Button,
  Card,
  Center,
  Code,
  Group,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { encode } from 'uqr'
import { type AnswerOf, call } from '../kit/api.ts'
import { ProblemAlert } from '../kit/problem-alert.tsx'
import { useSetSession, useSignedIn } from '../kit/session.tsx'

/** Replaces every other page while the deployment requires a second factor that is not set up. */
export function SecondFactorPage() {
  const setSession = useSetSession()
  const signOut = useMutation({
    mutationFn: () => call('signOut'),
    onSuccess: () => setSession(null),
  })
  useEffect(() => {
    document.title = 'Second factor · Headroom'
  }, [])
  return (
    <Center mih="100vh" p="md" component="main">
      <Card withBorder w={440} p="xl">
        <Stack>
          <Title order={1} size="h2">
            One more step
          </Title>
          <Text>Here a password alone opens nothing: set up a second factor to go on.</Text>
          <SecondFactor />
          <ProblemAlert error={signOut.error} />
          <Button variant="subtle" onClick={() => signOut.mutate()} loading={signOut.isPending}>
            Sign out
          </Button>
        </Stack>
      </Card>
    </Center>
  )
}

export function SecondFactor() {
  const { totp } = useSignedIn()
  const start = useMutation({ mutationFn: () => call('startTotp') })
  if (totp === 'on') {
    return (
      <Text>
        It is set up: whoever signs in is asked for a code of your authenticator. If you lose it, an
        administrator of this deployment can reset your access.
      </Text>
    )
  }
  if (start.data) return <Confirm {...start.data} />
  return (
    <Stack align="start">
      <Text c="dimmed">
        An app on your phone, an authenticator, shows a new code every thirty seconds. Who has only
        your password then stays outside.
      </Text>
      <ProblemAlert error={start.error} />
      <Button
        onClick={() => start.mutate()}
        loading={start.isPending}
        autoFocus={totp === 'needed'}
      >
        Set up a second factor
      </Button>
    </Stack>
  )
}

function Confirm({ secret, address }: AnswerOf<'startTotp'>) {
  const setSession = useSetSession()
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => call('confirmTotp', { body: { code } }),
    onSuccess: session => {
      notifications.show({ color: 'green', message: 'The second factor is set up.' })
      setSession(session)
    },
  })
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault()
    if (!confirm.isPending) confirm.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>1. Scan this with your authenticator, or type the key into it.</Text>
        <Center>
          <QrCode of={address} />
        </Center>
        <Code block style={{ textAlign: 'center' }}>
          {secret.match(/.{1,4}/g)?.join(' ')}
        </Code>
        <TextInput
          label="2. The code that it shows now"
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="\d{6}"
          title="Six digits"
          maxLength={6}
          required
          autoFocus
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
        />
        <Alert color="orange">The key is shown this once. From the next time on you need it.</Alert>
        <ProblemAlert error={confirm.error} />
        <Group justify="end">
          <Button type="submit" loading={confirm.isPending}>
            Confirm
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Black on white even in dark mode, as cameras expect. */
function QrCode({ of }: { of: string }) {
  const { size, data } = useMemo(() => encode(of, { ecc: 'M', border: 2 }), [of])
  const path = data
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
    .join('')
  return (
    <svg
      role="img"
      aria-label="QR code"
      viewBox={`0 0 ${size} ${size}`}
      width={200}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
