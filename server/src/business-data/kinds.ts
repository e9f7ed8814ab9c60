/** The kinds of data that are shared: how each is read and what is kept of it. Pure. */
import {
  ShareAccountsBody,
  ShareActivityBody,
  ShareInvoicesBody,
  ShareTransactionsBody,
} from '@headroom/contract'
import type { z } from 'zod'
import type { InvalidParam } from '../kit/problem.ts'
import {
  accountFaults,
  accountRow,
  activityRow,
  type CompanyNamed,
  invoiceFaults,
  invoiceRow,
  periodFaults,
  transactionFaults,
  transactionRows,
} from './rules.ts'
import type { Kind } from './store.ts'

/** One kind; `Row` is what a caller sends of it, `Body` the call. */
export interface SharedKind<Row = unknown, Body = unknown> {
  readonly kind: Kind
  /** The body's field with the rows. */
  readonly list: string
  readonly shape: Readonly<Record<string, z.ZodType>>
  readonly row: z.ZodType<Row>
  /** What the row's schema cannot see; `at` is its name in the body. */
  readonly faults: (row: Row, at: string, now: Date, about: CompanyNamed) => InvalidParam[]
  readonly rowsOf: (body: Body) => Record<string, unknown>[]
}

function sharedKind<Row, Body>(kind: SharedKind<Row, Body>): SharedKind<Row, Body> {
  return kind
}

export const ACCOUNTS = sharedKind({
  kind: 'accounts',
  list: 'accounts',
  shape: ShareAccountsBody.shape,
  row: ShareAccountsBody.shape.accounts.unwrap().element,
  faults: accountFaults,
  rowsOf: (body: z.output<typeof ShareAccountsBody>) => body.accounts.map(accountRow),
})

export const TRANSACTIONS = sharedKind({
  kind: 'account_transactions',
  list: 'transactions',
  shape: ShareTransactionsBody.shape,
  row: ShareTransactionsBody.shape.transactions.unwrap().element,
  faults: transactionFaults,
  rowsOf: (body: z.output<typeof ShareTransactionsBody>) => transactionRows(body.transactions),
})

export const INVOICES = sharedKind({
  kind: 'invoices',
  list: 'invoices',
  shape: ShareInvoicesBody.shape,
  row: ShareInvoicesBody.shape.invoices.unwrap().element,
  faults: invoiceFaults,
  rowsOf: (body: z.output<typeof ShareInvoicesBody>) => body.invoices.map(invoiceRow),
})

export const ACTIVITY = sharedKind({
  kind: 'activity',
  list: 'periods',
  shape: ShareActivityBody.shape,
  row: ShareActivityBody.shape.periods.element,
  faults: periodFaults,
  rowsOf: ({ kind, periods }: z.output<typeof ShareActivityBody>) =>
    periods.map(period => ({ kind, ...activityRow(period) })),
})
