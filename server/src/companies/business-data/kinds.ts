/** The kinds of shared data: how each is validated and what is stored. Pure. */
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
  type RowReader,
  transactionFaults,
  transactionRows,
} from './rules.ts'
import type { Kind } from './store.ts'

/** A kind of shared data; `Row` is an item in the request, `Body` the whole request. */
export interface SharedKind<Row = unknown, Body = unknown> {
  readonly kind: Kind
  /** The field of the body that holds the rows. */
  readonly list: string
  /** Faults of a row that its schema cannot check. */
  readonly faults: RowReader<Row>
  /** Converts the rows lazily, because a request may have many thousands. */
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
