/**
 * Loads cards with the data that decisions on their spending are based on: borrower, credit line,
 * partner and the card's own limits.
 */
import type { CardConstraints, Status } from '@headroom/contract'
import { sql } from 'kysely'
import { complianceOn } from '../../companies/borrowers/index.ts'
import { asLockedLine, type LockedLine } from '../../companies/credit-lines/index.ts'
import { payoutsStopped } from '../../money/payments/index.ts'
import { haveNames } from '../../platform/db/directory.ts'
import { type Statement, statement, type Tx } from '../../platform/db/transaction.ts'
import { addDays, type Day, firstOfMonth, startOfDay, weekday } from '../../platform/kit/dates.ts'
import type { SpendingSituation } from './rules.ts'

/** Cents still available on a line or for a partner, shared by all cards involved. */
interface Shared {
  left: bigint
}

export interface Spender {
  readonly id: string
  readonly partner_id: string
  readonly borrower_id: string
  readonly credit_line_id: LockedLine
  readonly provider_card_id: string
  readonly status: Status<'card'>
  readonly borrower_status: Status<'borrower'>
  readonly compliance: Status<'compliance'>
  readonly company_known: boolean
  readonly lending_stopped: boolean
  readonly partner_suspended: boolean
  readonly method_ready: boolean
  readonly currency: string
  readonly constraints: CardConstraints
  readonly ends_on: Day
  readonly closed_at: Date | null
  /** Cents cleared but not yet financed by a loan, less cents returned; negative for a credit. */
  card_spent: bigint
  readonly line: Shared
  readonly partner: Shared
  spent: { daily: bigint; weekly: bigint; monthly: bigint }
}

type Row = Omit<Spender, 'line' | 'partner' | 'spent' | 'credit_line_id'> & {
  credit_line_id: string
  line_left: bigint
  partner_left: bigint
  daily: bigint | null
  weekly: bigint | null
  monthly: bigint | null
}

/** Locks the cards' partners, then their credit lines: the order in which lending locks them. */
function locksOfCards(provider_card_ids: readonly string[]) {
  const cards = sql`from cards where ${haveNames('cards', 'card', provider_card_ids)}`
  // A card's partner and line never change, so they can be read before locking.
  const partners = statement(sql`
    select from partners where id in (select partner_id ${cards}) order by id for no key update`)
  const lines = statement(sql`
    select from credit_lines where (partner_id, id) in (select partner_id, credit_line_id ${cards})
    order by id for no key update`)
  return [partners, lines] as const
}

/** Locks partners and lines of issued cards; returns the cards by the processor's card id. */
export async function lockSpenders(
  tx: Tx,
  provider_card_ids: readonly string[],
): Promise<Map<string, Spender>> {
  const refs = [...new Set(provider_card_ids)]
  const [, , rows] = await tx.inOrder([...locksOfCards(refs), cardsOf(tx, refs)])
  const shared = new Map<string, Shared>()
  const share = (id: string, left: bigint) => {
    const one = shared.get(id) ?? { left }
    shared.set(id, one)
    return one
  }
  return new Map(
    rows.map(({ line_left, partner_left, daily, weekly, monthly, ...row }) => [
      row.provider_card_id,
      {
        ...asLockedLine(row),
        line: share(row.credit_line_id, line_left),
        partner: share(row.partner_id, partner_left),
        spent: { daily: daily ?? 0n, weekly: weekly ?? 0n, monthly: monthly ?? 0n },
      },
    ]),
  )
}

/** Loads issued cards. Spending per interval is summed only for cards with spending limits. */
function cardsOf(tx: Tx, refs: readonly string[]): Statement<Row[]> {
  const day = startOfDay(tx.today)
  const week = startOfDay(addDays(tx.today, 1 - weekday(tx.today)))
  const month = startOfDay(firstOfMonth(tx.today))
  const first = week < month ? week : month
  return statement(sql<Row>`
    select c.id, c.partner_id, c.borrower_id, c.credit_line_id, c.provider_card_id, c.status,
      c.currency, c.constraints, b.status as borrower_status,
      ${complianceOn('k', tx.today)} as compliance,
      b.company->>'is_active' is not null as company_known,
      p.status = 'SUSPENDED' as partner_suspended,
      ${payoutsStopped(sql`c.partner_id`)} as lending_stopped,
      exists (select from repayment_methods m where m.borrower_id = c.borrower_id
        and m.partner_id = c.partner_id and m.is_main and m.status = 'READY') as method_ready,
      l.ends_on,
      l.closed_at, l.card_spent, l.pool_amount - l.outstanding - l.reserved as line_left,
      p.exposure_max - p.exposure as partner_left, s.daily, s.weekly, s.monthly
    from cards c
    join borrowers b on b.partner_id = c.partner_id and b.id = c.borrower_id
    join compliance_checks k on k.partner_id = b.partner_id and k.borrower_id = b.id
    join credit_lines l on l.partner_id = c.partner_id and l.id = c.credit_line_id
    join partners p on p.id = c.partner_id
    left join lateral (
      select sum(n.used) filter (where e.created_at >= ${day})::bigint as daily,
        sum(n.used) filter (where e.created_at >= ${week})::bigint as weekly,
        sum(n.used) filter (where e.created_at >= ${month})::bigint as monthly
      from card_entries e cross join lateral (select e.held
        + case when e.status = 'completed' then e.amount else 0 end as used) n
      where e.partner_id = c.partner_id and e.card_id = c.id
        and e.transaction_type = 'payment' and e.created_at >= ${first}
        and e.status in ('pending', 'completed')) s on c.constraints ? 'spending_limits'
    where ${haveNames('c', 'card', refs)} and c.issued_at is not null`)
}

export function situationOf(tx: Tx, spender: Spender): SpendingSituation {
  return {
    today: tx.today,
    card_status: spender.status,
    borrower_status: spender.borrower_status,
    compliance: spender.compliance,
    company_known: spender.company_known,
    lending_stopped: spender.lending_stopped,
    partner_suspended: spender.partner_suspended,
    method_ready: spender.method_ready,
    line_ends_on: spender.ends_on,
    line_closed: spender.closed_at !== null,
    line_available: spender.line.left,
    partner_available: spender.partner.left,
    constraints: spender.constraints,
    spent: spender.spent,
  }
}

/** Deducts an approved amount, so that the next request of the batch cannot spend it too. */
export function reserveSpending(spender: Spender, amount: bigint): void {
  spender.line.left -= amount
  spender.partner.left -= amount
  const { daily, weekly, monthly } = spender.spent
  spender.spent = { daily: daily + amount, weekly: weekly + amount, monthly: monthly + amount }
}
