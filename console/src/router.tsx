/** Maps URLs to pages. Most pages are chunks that load on demand. */
import { Center, Loader } from '@mantine/core'
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Navigate,
} from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { PageHead } from './kit/detail.tsx'
import { type PageQuery, parsePageQuery, writePageQuery } from './kit/page-query.ts'
import { ProblemAlert } from './kit/problem-alert.tsx'
import { useSession, useSignedIn } from './kit/session.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { Shell } from './shell.tsx'

/** Few users ever see this page, so its code loads on demand. */
const SecondFactorPage = lazy(async () => ({
  default: (await import('./pages/second-factor.tsx')).SecondFactorPage,
}))

function Waiting() {
  return (
    <Center mih="100vh">
      <Loader role="status" aria-label="Loading" />
    </Center>
  )
}

function Root() {
  const { data: session, isPending, error } = useSession()
  if (isPending) return <Waiting />
  if (session === undefined) {
    return (
      <Center mih="100vh" p="md" component="main">
        <ProblemAlert error={error} />
      </Center>
    )
  }
  if (!session) return <SignInPage />
  if (session.totp !== 'needed') return <Shell />
  return (
    <Suspense fallback={<Waiting />}>
      <SecondFactorPage />
    </Suspense>
  )
}

const root = createRootRoute({
  component: Root,
  validateSearch: (search: Record<string, unknown>): PageQuery => search as PageQuery,
})

/** Partner users start at their partner's overview, the lender's operators in the back office. */
function Start() {
  const { partner } = useSignedIn()
  if (partner) return <Navigate to="/p/$partner/overview" params={{ partner: partner.id }} />
  return <Navigate to="/desk/today" />
}

/** A route whose page is a separate chunk. */
function page<P extends string, M extends object, N extends keyof M & string>(
  path: P,
  load: () => Promise<M>,
  name: N,
) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(load as () => Promise<Record<string, () => ReactNode>>, name),
  })
}

const routes = [
  page('/search', () => import('./pages/search.tsx'), 'SearchPage'),
  page('/account', () => import('./pages/account.tsx'), 'AccountPage'),
  page('/desk/decisions', () => import('./pages/waiting-decisions.tsx'), 'WaitingDecisionsPage'),
  page('/desk/companies', () => import('./pages/companies.tsx'), 'CompaniesPage'),
  page('/desk/company/$company', () => import('./pages/company.tsx'), 'CompanyPage'),
  page('/desk/reports', () => import('./pages/reports.tsx'), 'ReportsPage'),
  page('/desk/jobs', () => import('./pages/jobs.tsx'), 'JobsPage'),
  page('/desk/going-live', () => import('./pages/going-live.tsx'), 'GoingLivePage'),
  page('/desk/audit', () => import('./pages/audit.tsx'), 'AuditPage'),
  page('/p/$partner/decisions', () => import('./pages/decisions.tsx'), 'DecisionsPage'),
  page('/p/$partner/decision/$decision', () => import('./pages/decision.tsx'), 'DecisionPage'),
  page('/p/$partner/cases', () => import('./pages/cases.tsx'), 'CasesPage'),
  page('/p/$partner/case/$case', () => import('./pages/case.tsx'), 'CasePage'),
  page('/p/$partner/case/$case/plan', () => import('./pages/plan-builder.tsx'), 'PlanBuilderPage'),
  page('/p/$partner/cards', () => import('./pages/cards.tsx'), 'CardsPage'),
  page('/p/$partner/card/$card', () => import('./pages/card.tsx'), 'CardPage'),
  page('/p/$partner/keys', () => import('./pages/keys.tsx'), 'KeysPage'),
  page('/p/$partner/webhooks', () => import('./pages/webhooks.tsx'), 'WebhooksPage'),
  page('/p/$partner/webhook/$webhook', () => import('./pages/webhook.tsx'), 'WebhookPage'),
  page('/p/$partner/events', () => import('./pages/events.tsx'), 'EventsPage'),
  page('/p/$partner/sandbox', () => import('./pages/sandbox.tsx'), 'SandboxPage'),
  createRoute({ getParentRoute: () => root, path: '/', component: Start }),
  page('/desk/today', () => import('./pages/today.tsx'), 'TodayPage'),
  page('/desk/waiting/$kind', () => import('./pages/work.tsx'), 'WorkPage'),
  page('/desk/partners', () => import('./pages/partners.tsx'), 'PartnersPage'),
  page('/desk/products', () => import('./pages/products.tsx'), 'ProductsPage'),
  page('/desk/suspense', () => import('./pages/suspense.tsx'), 'SuspensePage'),
  page('/desk/bank-accounts', () => import('./pages/bank-accounts.tsx'), 'BankAccountsPage'),
  page('/desk/bank-account/$account', () => import('./pages/bank-account.tsx'), 'BankAccountPage'),
  page('/desk/tie-out/$day', () => import('./pages/tie-out.tsx'), 'TieOutPage'),
  page('/desk/alarms', () => import('./pages/alerts.tsx'), 'AlarmsPage'),
  page('/p/$partner/overview', () => import('./pages/overview.tsx'), 'OverviewPage'),
  page('/p/$partner/reports', () => import('./pages/reports.tsx'), 'ReportsPage'),
  page('/p/$partner/borrowers', () => import('./pages/borrowers.tsx'), 'BorrowersPage'),
  page('/p/$partner/borrower/$borrower', () => import('./pages/borrower.tsx'), 'BorrowerPage'),
  page('/p/$partner/onboardings', () => import('./pages/onboardings.tsx'), 'OnboardingsPage'),
  page('/p/$partner/loans', () => import('./pages/loans.tsx'), 'LoansPage'),
  page('/p/$partner/loan/$loan', () => import('./pages/loan.tsx'), 'LoanPage'),
  page('/p/$partner/invoices', () => import('./pages/invoices.tsx'), 'InvoicesPage'),
  page('/p/$partner/invoice/$invoice', () => import('./pages/invoice.tsx'), 'InvoicePage'),
  page(
    '/p/$partner/counterparties',
    () => import('./pages/counterparties.tsx'),
    'CounterpartiesPage',
  ),
  page('/p/$partner/payments', () => import('./pages/payments.tsx'), 'PaymentsPage'),
  page('/p/$partner/payment/$payment', () => import('./pages/payment.tsx'), 'PaymentPage'),
  page('/p/$partner/bills', () => import('./pages/bills.tsx'), 'BillsPage'),
  page('/p/$partner/bill/$bill', () => import('./pages/bill.tsx'), 'BillPage'),
]

function NotFound() {
  return <PageHead title="There is no such page" info="Choose one of the menu, or search for it." />
}

/** Shown in place of a page that failed to render or load; the menu still works. */
function Failed({ error }: ErrorComponentProps) {
  const why = error instanceof Error ? ` It says: ${error.message}` : ''
  const info = `Load it again, or choose another one of the menu.${why}`
  return <PageHead title="This page cannot be shown" info={info} />
}

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Failed,
  parseSearch: parsePageQuery,
  stringifySearch: writePageQuery,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
