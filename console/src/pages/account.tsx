/** The operator's own account: role, second factor, password. */
import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { Facts, PageHead, Section } from '../kit/detail.tsx'
import { moment, words } from '../kit/format.ts'
import { ProblemAlert } from '../kit/problem-alert.tsx'
import { useSignedIn } from '../kit/session.tsx'
import { Status } from '../kit/status.tsx'
import { SecondFactor } from './second-factor.tsx'

const ROLE_NOTES = {
  viewer: 'looks at everything, changes nothing',
  reviewer: 'reviews, matches, decides',
  admin: 'also changes switches, keys and settings',
} as const

export function AccountPage() {
  const { operator, partner, expires_at, totp } = useSignedIn()
  return (
    <Stack>
      <PageHead title="Your account" info={operator.email} />
      <Section title="Role">
        <Facts
          of={[
            ['Role', `${words(operator.role)}: ${ROLE_NOTES[operator.role]}`],
            ['Sees', partner ? partner.name : 'Every partner'],
            ['Signed in until', moment(expires_at)],
          ]}
        />
      </Section>
      <Section title="Second factor" actions={<Status value={totp === 'on' ? 'ACTIVE' : 'OFF'} />}>
        <SecondFactor />
      </Section>
      <Section title="Password">
        <Password />
      </Section>
    </Stack>
  )
}

const EMPTY = { password: '', new_password: '', again: '' }
const LENGTH_MIN = 15

function Password() {
  const form = useForm({
    initialValues: EMPTY,
    validate: {
      new_password: value =>
        value.length < LENGTH_MIN ? `Write at least ${LENGTH_MIN} characters` : null,
      again: (value, { new_password }) =>
        value === new_password ? null : 'It is not the same as above',
    },
  })
  const change = useMutation({
    mutationFn: ({ password, new_password }: typeof EMPTY) =>
      call('changePassword', { body: { password, new_password } }),
    onSuccess: () => {
      form.reset()
      const message = 'The password is changed. Your other sessions have ended.'
      notifications.show({ color: 'green', message })
    },
  })
  const field = (name: keyof typeof EMPTY, label: string, autoComplete: string) => (
    <PasswordInput
      label={label}
      autoComplete={autoComplete}
      required
      {...form.getInputProps(name)}
      maw={380}
    />
  )
  return (
    <form onSubmit={form.onSubmit(values => change.mutate(values))}>
      <Stack>
        {field('password', 'Current password', 'current-password')}
        {field('new_password', 'New password', 'new-password')}
        {field('again', 'New password again', 'new-password')}
        <ProblemAlert error={change.error} />
        <Group>
          <Button type="submit" loading={change.isPending}>
            Change the password
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
