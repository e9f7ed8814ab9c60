/** The kinds of data that are shared: how each is read and what is kept of it. Pure. */
import type {
  ShareAccountsBody,
  ShareActivityBody,
  ShareInvoicesBody,
  ShareTransactionsBody,
} from '@headroom/contract'
import type { z } from 'zod'
import {
  accountFaults,
  accountRow,
  activityRow,
  invoiceFaults,
  invoiceRow,
  periodFaults,
  type Reading,
  transactionFaults,
  transactionRows,
} from './rules.ts'
import type { Kind } from './store.ts'

/** One kind; `Row` is what a caller sends of it, `Body` the call. */
export interface SharedKind<Row = unknown, Body = unknown> {
  readonly kind: Kind
  /** The body's field with the rows. */
  readonly list: string
  /** What the row's schema cannot see. */
  readonly faults: Reading<Row>
  readonly rowsOf: (body: Body) => Record<string, unknown>[]
}

function sharedKind<Row, Body>(kind: SharedKind<Row, Body>): SharedKind<Row, Body> {
  return kind
}

export const ACCOUNTS = sharedKind({
  kind: 'accounts',
  list: 'accounts',
  faults: accountFaults,
  rowsOf: (body: z.output<typeof ShareAccountsBody>) => body.accounts.map(accountRow),
})

export const TRANSACTIONS = sharedKind({
  kind: 'account_transactions',
  list: 'transactions',
  faults: transactionFaults,
  rowsOf: (body: z.output<typeof ShareTransactionsBody>) => transactionRows(body.transactions),
})

export const INVOICES = sharedKind({
  kind: 'invoices',
  list: 'invoices',
  faults: invoiceFaults,
  rowsOf: (body: z.output<typeof ShareInvoicesBody>) => body.invoices.map(invoiceRow),
})

export const ACTIVITY = sharedKind({
  kind: 'activity',
  list: 'periods',
  faults: periodFaults,
  rowsOf: ({ kind, periods }: z.output<typeof ShareActivityBody>) =>
    periods.map(period => ({ kind, ...activityRow(period) })),
})
