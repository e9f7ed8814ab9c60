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
  each,
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
  /** One by one: a call may have many thousands. */
  readonly rowsOf: (body: Body) => Iterable<Record<string, unknown>>
}

function sharedKind<Row, Body>(kind: SharedKind<Row, Body>): SharedKind<Row, Body> {
  return kind
}

export const ACCOUNTS = sharedKind({
  kind: 'accounts',
  list: 'accounts',
  faults: accountFaults,
  rowsOf: (body: z.output<typeof ShareAccountsBody>) => each(body.accounts, accountRow),
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
  rowsOf: (body: z.output<typeof ShareInvoicesBody>) => each(body.invoices, invoiceRow),
})

export const ACTIVITY = sharedKind({
  kind: 'activity',
  list: 'periods',
  faults: periodFaults,
  rowsOf: ({ kind, periods }: z.output<typeof ShareActivityBody>) =>
    each(periods, period => ({ kind, ...activityRow(period) })),
})
