/** The console: a client of the public API and of the back office. */
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import { type CSSVariablesResolver, createTheme, MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications, notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { onSessionEnd, Problem } from './kit/api.ts'
import { SESSION } from './kit/session.tsx'
import { router } from './router.tsx'

const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'sm',
  respectReducedMotion: true,
  // Names the close button of dialogs and notifications, which shows only an icon.
  components: { CloseButton: { defaultProps: { 'aria-label': 'Close' } } },
})

/** Button colors dark enough for white text. */
const FILLED = {
  '--mantine-color-green-filled': '#1f7a34',
  '--mantine-color-green-filled-hover': '#196a2c',
  '--mantine-color-red-filled': '#c92a2a',
  '--mantine-color-red-filled-hover': '#b02525',
}

/** Text colors with a contrast of at least 4.5 to 1 (WCAG 1.4.3). */
const readable: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...FILLED,
    '--mantine-color-dimmed': colors.gray[8],
    // Keeps a contrast of 4.5 to 1 even on a hovered row.
    '--mantine-color-anchor': colors.indigo[8],
    '--mantine-color-error': colors.red[9],
    '--mantine-color-green-light-color': '#1b6129',
    '--mantine-color-orange-light-color': '#9a3505',
    '--mantine-color-red-light-color': '#a51d1d',
    '--mantine-color-blue-light-color': '#11568f',
    '--mantine-color-gray-light-color': colors.gray[8],
  },
  dark: {
    ...FILLED,
    '--mantine-color-dimmed': colors.gray[5],
    '--mantine-color-anchor': colors.indigo[3],
    '--mantine-color-error': colors.red[4],
  },
})
const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? ''
// The scroll lock of dialogs injects a style element, which needs the CSP nonce.
Object.assign(globalThis, { __webpack_nonce__: nonce })

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Only network errors are retried; a refusal would not change.
      retry: (tries, error) => tries < 2 && !(error instanceof Problem),
    },
  },
})

onSessionEnd(() => {
  // A visitor who has not signed in has no session to lose.
  if (!client.getQueryData(SESSION)) return
  client.setQueryData(SESSION, null)
  notifications.show({ id: 'session', message: 'Your session has ended. Sign in to go on.' })
})

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={readable}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={client}>
        <ModalsProvider>
          <Notifications />
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
