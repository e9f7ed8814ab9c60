/** The sign-in page: email, password and, if set up, a code. */
import { Button, Card, Center, PasswordInput, Stack, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call, Problem } from '../kit/api.ts'
import { ProblemAlert } from '../kit/problem-alert.tsx'
import { useSetSession } from '../kit/session.tsx'

export function SignInPage() {
  useEffect(() => {
    document.title = 'Headroom'
  }, [])
  const setSession = useSetSession()
  const form = useForm({ initialValues: { email: '', password: '', code: '' } })
  const signIn = useMutation({
    mutationFn: ({ email, password, code }: typeof form.values) =>
      call('signIn', { body: { email, password, ...(code && { code }) } }),
    onSuccess: setSession,
  })
  const needsCode = signIn.error instanceof Problem && signIn.error.code === 'code_required'
  const withCode = needsCode || form.values.code !== ''
  return (
    <Center mih="100vh" p="md" component="main">
      <Card withBorder w={380} p="xl">
        <form onSubmit={form.onSubmit(values => signIn.mutate(values))}>
          <Stack>
            <Title order={1} size="h2">
              Headroom
            </Title>
            <TextInput
              label="E-mail"
              type="email"
              autoComplete="username"
              required
              {...form.getInputProps('email')}
            />
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              required
              {...form.getInputProps('password')}
            />
            {withCode && (
              <TextInput
                label="Code of your authenticator"
                inputMode="numeric"
                autoComplete="one-time-code"
                maxLength={6}
                required
                autoFocus
                {...form.getInputProps('code')}
              />
            )}
            {!needsCode && <ProblemAlert error={signIn.error} />}
            <Button type="submit" loading={signIn.isPending}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Card>
    </Center>
  )
}
