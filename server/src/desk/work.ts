/** What waits for a person, one by one, over all partners. */
import type { WORK_ON_THINGS, WorkItem } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { AdminHandlers } from '../context.ts'
import { type Order, type Page, type PageRequest, readPage } from '../db/page.ts'
import type { Tx } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import { toWire } from '../kit/money.ts'

type Kind = (typeof WORK_ON_THINGS)[number]

/** Where the things of each kind are: each with what it is about, and since when it waits. */
const waitingOn = (today: Day): Record<Kind, RawBuilder<unknown>> => ({
  KYB_REVIEW: sql`
    select b.id, b.id as thing_id, b.partner_id, coalesce(b.name, b.identifier) as subject,
      null::bigint as amount, c.updated_at as since
    from compliance_checks c join borrowers b on b.id = c.borrower_id
    where c.status = 'REVIEWING'`,
  INVOICE_REVIEW: sql`
    select id, id as thing_id, partner_id, coalesce(invoice_number, id::text) as subject,
      total_amount as amount, created_at as since
    from invoices where status = 'SUBMITTED'`,
  LIMIT_PROPOSED: sql`
    select o.id, b.id as thing_id, o.partner_id, coalesce(b.name, b.identifier) as subject,
      o.pool_amount as amount, o.proposed_at as since
    from limit_overrides o join credit_lines l on l.id = o.credit_line_id
    join borrowers b on b.id = l.borrower_id where o.status = 'PROPOSED'`,
  WRITE_OFF_PROPOSED: sql`
    select w.id, l.id as thing_id, w.partner_id, coalesce(b.name, b.identifier) as subject,
      l.principal_outstanding as amount, w.proposed_at as since
    from write_offs w join loans l on l.id = w.loan_id join borrowers b on b.id = l.borrower_id
    where w.status = 'PROPOSED'`,
  PAYOUT_ISSUE: sql`
    select l.id, l.id as thing_id, l.partner_id, coalesce(b.name, b.identifier) as subject,
      l.amount, l.to_pay_on::timestamp at time zone 'Europe/Paris' as since
    from loans l join borrowers b on b.id = l.borrower_id where l.status = 'ISSUE_DETECTED'`,
  CASE_ACTION: sql`
    select a.id, c.id as thing_id, c.partner_id,
      coalesce(b.name, b.identifier) || ': ' || a.name as subject, null::bigint as amount,
      a.due_on::timestamp at time zone 'Europe/Paris' as since
    from recollection_actions a join recollection_cases c on c.id = a.case_id
    join borrowers b on b.id = c.borrower_id
    where a.status = 'SCHEDULED' and a.due_on <= ${today} and c.status = 'OPEN'`,
})

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
): Promise<Page<WorkItem>> {
  const select = (where: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql<Row>`
    select w.*, p.name as partner, ${key}
    from (${waitingOn(tx.today)[kind]}) w join partners p on p.id = w.partner_id where ${where}`
  const page = await readPage(tx, request, OLDEST_FIRST, select)
  const data = page.data.map(({ id, thing_id, partner_id, partner, subject, amount, since }) => ({
    ...{ id, thing_id, partner_id, partner, subject },
    amount: amount === null ? null : toWire(amount),
    waits_since: since.toISOString(),
  }))
  return { ...page, data }
}

export const workHandlers: Pick<AdminHandlers, 'listWork'> = {
  listWork: (tx, { query, path }) => readWork(tx, { ...query, path }),
}
