/** The frame of every page: location, menu and account. */
import {
  ActionIcon,
  AppShell,
  Burger,
  Divider,
  Group,
  NavLink,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { useRef } from 'react'
import './kit/kit.css'
import { call } from './kit/api.ts'
import { useFocusOnNavigation, useFocusRestore } from './kit/focus.ts'
import { PageLink as LinkTo } from './kit/page-link.tsx'
import { PartnerSelect } from './kit/partner-select.tsx'
import { SearchBox } from './kit/search-box.tsx'
import { useMayWrite, useSetSession, useSignedIn } from './kit/session.tsx'
import { DESK_PAGES, PARTNER_PAGES, type PageLink } from './navigation.ts'

export function Shell() {
  const [open, { toggle, close }] = useDisclosure()
  const session = useSignedIn()
  const { partner: chosen } = useParams({ strict: false })
  const partner = session.partner?.id ?? chosen
  const main = useRef<HTMLElement>(null)
  useFocusOnNavigation(main)
  useFocusRestore(main)
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 230, breakpoint: 'sm', collapsed: { mobile: !open } }}
      padding="md"
    >
      <button type="button" className="skip-link" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap">
            <Burger opened={open} onClick={toggle} hiddenFrom="sm" aria-label="Menu" />
            <Text fw={700} visibleFrom="sm">
              Headroom
            </Text>
            {session.partner ? <Text>{session.partner.name}</Text> : <PartnerSelect />}
          </Group>
          <Person email={session.operator.email} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label="Pages" style={{ overflowY: 'auto' }}>
        <SearchBox done={close} />
        {!session.partner && <Links pages={DESK_PAGES} done={close} />}
        {partner && !session.partner && <Divider my="xs" label="Partner" />}
        {partner && <Links pages={PARTNER_PAGES} partner={partner} done={close} />}
      </AppShell.Navbar>
      <AppShell.Main ref={main} tabIndex={-1} style={{ outline: 'none' }}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  )
}

interface LinksProps {
  readonly pages: readonly PageLink[]
  readonly partner?: string
  readonly done: () => void
}

function Links({ pages, partner, done }: LinksProps) {
  const isSandbox = useSignedIn().mode === 'sandbox'
  // A viewer may not write, and nearly all controls of the sandbox page do.
  const mayAct = useMayWrite()
  const served = pages.filter(({ sandbox }) => !sandbox || (isSandbox && mayAct))
  return served.map(({ label, to, icon: Icon }) => (
    <NavLink
      key={to}
      label={label}
      onClick={done}
      py={5}
      leftSection={<Icon size={18} />}
      renderRoot={props => (
        <Link
          to={to as '/'}
          params={{ partner } as never}
          activeProps={{ 'data-active': true } as object}
          {...props}
        />
      )}
    />
  ))
}

function Person({ email }: { email: string }) {
  const setSession = useSetSession()
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme('light') === 'dark'
  const signOut = useMutation({
    mutationFn: () => call('signOut'),
    onSuccess: () => setSession(null),
    onError: error => notifications.show({ color: 'red', message: error.message }),
  })
  return (
    <Group wrap="nowrap" gap="xs">
      <Text size="sm" visibleFrom="sm">
        <LinkTo to="/account">{email}</LinkTo>
      </Text>
      <ActionIcon
        variant="subtle"
        aria-label="Your account"
        hiddenFrom="sm"
        renderRoot={props => <Link to={'/account' as '/'} {...props} />}
      >
        <IconUser size={18} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        aria-label={dark ? 'Light colours' : 'Dark colours'}
        onClick={() => setColorScheme(dark ? 'light' : 'dark')}
      >
        {dark ? <IconSun size={18} /> : <IconMoon size={18} />}
      </ActionIcon>
      <ActionIcon variant="subtle" aria-label="Sign out" onClick={() => signOut.mutate()}>
        <IconLogout size={18} />
      </ActionIcon>
    </Group>
  )
}
