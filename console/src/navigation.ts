/** The pages in the menu: the lender's back office and the pages of one partner. */
import {
  IconAlertTriangle,
  IconBuildingBank,
  IconBuildingStore,
  IconChartAreaLine,
  IconChecklist,
  IconCoin,
  IconCreditCard,
  IconFileInvoice,
  IconFlask,
  IconGavel,
  IconHistory,
  IconHome,
  IconKey,
  IconListCheck,
  IconMoneybag,
  IconPackage,
  IconReceipt,
  IconReportMoney,
  IconRobot,
  IconRocket,
  IconSettingsAutomation,
  IconTimeline,
  IconTransfer,
  IconUserPlus,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react'

export interface PageLink {
  readonly label: string
  readonly to: string
  readonly icon: typeof IconHome
  /** Shown only in sandboxes, and not to viewers. */
  readonly sandbox?: true
}

export const DESK_PAGES: readonly PageLink[] = [
  { label: 'Today', to: '/desk/today', icon: IconHome },
  { label: 'Companies to check', to: '/desk/companies', icon: IconChecklist },
  { label: 'Suspense', to: '/desk/suspense', icon: IconMoneybag },
  { label: 'Bank accounts', to: '/desk/bank-accounts', icon: IconBuildingBank },
  { label: 'Switches and alerts', to: '/desk/alarms', icon: IconAlertTriangle },
  { label: 'Decisions to review', to: '/desk/decisions', icon: IconListCheck },
  { label: 'Reports', to: '/desk/reports', icon: IconReportMoney },
  { label: 'Jobs', to: '/desk/jobs', icon: IconSettingsAutomation },
  { label: 'Audit trail', to: '/desk/audit', icon: IconHistory },
  { label: 'Products', to: '/desk/products', icon: IconPackage },
  { label: 'Partners', to: '/desk/partners', icon: IconBuildingStore },
  { label: 'Going live', to: '/desk/going-live', icon: IconRocket },
]

export const PARTNER_PAGES: readonly PageLink[] = [
  { label: 'Overview', to: '/p/$partner/overview', icon: IconChartAreaLine },
  { label: 'Borrowers', to: '/p/$partner/borrowers', icon: IconUsers },
  { label: 'Onboardings', to: '/p/$partner/onboardings', icon: IconUserPlus },
  { label: 'Loans', to: '/p/$partner/loans', icon: IconCoin },
  { label: 'Invoices', to: '/p/$partner/invoices', icon: IconFileInvoice },
  { label: 'Counterparties', to: '/p/$partner/counterparties', icon: IconUsersGroup },
  { label: 'Payments', to: '/p/$partner/payments', icon: IconTransfer },
  { label: 'Bills', to: '/p/$partner/bills', icon: IconReceipt },
  { label: 'Collections', to: '/p/$partner/cases', icon: IconGavel },
  { label: 'Cards', to: '/p/$partner/cards', icon: IconCreditCard },
  { label: 'Decisions', to: '/p/$partner/decisions', icon: IconRobot },
  { label: 'Reports', to: '/p/$partner/reports', icon: IconReportMoney },
  { label: 'Keys', to: '/p/$partner/keys', icon: IconKey },
  { label: 'Webhooks', to: '/p/$partner/webhooks', icon: IconWebhook },
  { label: 'Events', to: '/p/$partner/events', icon: IconTimeline },
  { label: 'Sandbox', to: '/p/$partner/sandbox', icon: IconFlask, sandbox: true },
]
