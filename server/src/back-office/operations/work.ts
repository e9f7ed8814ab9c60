/** Lists what needs attention, over all partners. */
import type { RESOURCE_WORK_KINDS, WorkItem } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { AdminHandlers } from '../../context.ts'
import { ofEachPartner } from '../../platform/db/of-partner.ts'
import {
  type Order,
  type Page,
  type PageRequest,
  readPage,
  viewPage,
} from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { workQueries } from './work-queries.ts'

type Kind = (typeof RESOURCE_WORK_KINDS)[number]
type Sql = RawBuilder<unknown>

interface About {
  readonly joins: Sql
  readonly id: Sql
  /** The id of the resource whose page the item links to. */
  readonly thing_id: Sql
  readonly partner_id: Sql
  readonly subject: Sql
  /** Cents. */
  readonly amount: Sql
}

const own = { id: sql`w.id`, thing_id: sql`w.id`, partner_id: sql`w.partner_id` }
const ofBorrower = { thing_id: sql`b.id`, subject: sql`coalesce(b.name, b.identifier)` }
const none = sql`null::bigint`

const ABOUT: Record<Kind, About> = {
  KYB_REVIEW: {
    ...ofBorrower,
    joins: sql`join borrowers b on b.partner_id = w.partner_id and b.id = w.borrower_id`,
    id: sql`b.id`,
    partner_id: sql`b.partner_id`,
    amount: none,
  },
  INVOICE_REVIEW: {
    ...own,
    joins: sql``,
    subject: sql`coalesce(w.invoice_number, w.id::text)`,
    amount: sql`w.total_amount`,
  },
  LIMIT_PROPOSED: {
    ...own,
    ...ofBorrower,
    joins: sql`join credit_lines l on l.partner_id = w.partner_id and l.id = w.credit_line_id
      join borrowers b on b.partner_id = l.partner_id and b.id = l.borrower_id`,
    amount: sql`w.pool_amount`,
  },
  WRITE_OFF_PROPOSED: {
    ...own,
    ...ofBorrower,
    joins: sql`join loans l on l.partner_id = w.partner_id and l.id = w.loan_id
      join borrowers b on b.partner_id = l.partner_id and b.id = l.borrower_id`,
    thing_id: sql`l.id`,
    amount: sql`l.principal_outstanding`,
  },
  PAYOUT_ISSUE: {
    ...ofBorrower,
    ...own,
    joins: sql`join borrowers b on b.partner_id = w.partner_id and b.id = w.borrower_id`,
    amount: sql`w.amount`,
  },
  CASE_ACTION: {
    ...own,
    joins: sql`join borrowers b on b.partner_id = c.partner_id and b.id = c.borrower_id`,
    thing_id: sql`c.id`,
    partner_id: sql`c.partner_id`,
    subject: sql`coalesce(b.name, b.identifier) || ': ' || w.name`,
    amount: none,
  },
  BILL_UNSENT: {
    ...own,
    joins: sql`join borrowers b on b.partner_id = w.partner_id and b.id = w.borrower_id`,
    subject: sql`w.invoice_number || ': ' || coalesce(b.name, b.identifier)`,
    amount: sql`w.amount`,
  },
  BORROWER_WITHOUT_EMAIL: {
    ...own,
    ...ofBorrower,
    joins: sql`join borrowers b on ${ofEachPartner('b')} and b.id = w.subject_id`,
    partner_id: sql`b.partner_id`,
    amount: none,
  },
}

function entriesOf(kind: Kind, today: Day, are_reviewed: boolean): Sql {
  const { from, where, since } = workQueries(today, are_reviewed)[kind]
  const { joins, id, thing_id, partner_id, subject, amount } = ABOUT[kind]
  return sql`select ${id} as id, ${thing_id} as thing_id, ${partner_id} as partner_id,
      ${subject} as subject, ${amount} as amount, ${since} as since
    ${from} ${joins} where ${where}`
}

interface Row {
  id: string
  thing_id: string
  partner_id: string
  partner: string
  subject: string
  amount: bigint | null
  since: Date
}

const OLDEST_FIRST: Order = {
  columns: [
    { sql: sql`w.since`, cast: 'timestamptz' },
    { sql: sql`w.id`, cast: 'uuid' },
  ],
  direction: 'asc',
}

async function readWork(
  tx: Tx,
  { kind, ...request }: PageRequest & { kind: Kind },
  are_reviewed: boolean,
): Promise<Page<WorkItem>> {
  const select = (where: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql<Row>`
    select w.*, p.name as partner, ${key}
    from (${entriesOf(kind, tx.today, are_reviewed)}) w
    join partners p on p.id = w.partner_id where ${where}`
  const page = await readPage(tx, request, OLDEST_FIRST, select)
  return viewPage(page, ({ id, thing_id, partner_id, partner, subject, amount, since }) => ({
    id,
    thing_id,
    partner_id,
    partner,
    subject,
    amount: amount === null ? null : toWire(amount),
    waits_since: since.toISOString(),
  }))
}

export const workHandlers: Pick<AdminHandlers, 'listWork'> = {
  listWork: (tx, { query, path }, { ports }) =>
    readWork(tx, { ...query, path }, ports.compliance.is_decided_in_files),
}
