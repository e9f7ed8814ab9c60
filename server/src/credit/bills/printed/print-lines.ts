/** Computes the printed lines of loans, with the facts behind their corrections. */
import { sql } from 'kysely'
import { IS_VOIDED_BY_RETURN } from '../../../money/payments/index.ts'
import { haveKeys } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { BilledLoan, PrincipalStep } from '../../loans/index.ts'
import type { Component, EarlierLine, PrintedLine } from '../printed-line.ts'
import { endOf, type Period } from '../rules.ts'
import { differences, type IssuedBill, printedLines } from './compute.ts'
import type { LoanFact } from './rules.ts'

/** A locked loan and the total that a bill charges for it. */
export interface BilledPart {
  readonly loan: BilledLoan
  readonly payer_id: string
  readonly steps: readonly PrincipalStep[]
  readonly amount: bigint
  readonly mark_up: bigint
}

interface LineRead {
  bill_id: string
  loan_id: string
  amount: bigint
  mark_up: bigint
  printed: PrintedLine[]
}

/**
 * The printed lines, by loan id, for the bills `own` of a period. Lines on those bills and on
 * INVALID bills count as not billed.
 */
export async function printLines(
  tx: Tx,
  { from, to }: Pick<Period, 'from' | 'to'>,
  parts: readonly BilledPart[],
  own: readonly string[],
): Promise<Map<string, PrintedLine[]>> {
  if (parts.length === 0) return new Map()
  const end = endOf({ to })
  const loans = parts.map(part => part.loan)
  const rows = await tx.all(sql<LineRead>`
    select l.bill_id, l.loan_id, l.amount, l.mark_up, l.printed
    from bill_lines l join bills b on b.partner_id = l.partner_id and b.id = l.bill_id
    where ${haveKeys(loans, 'l', 'loan_id')} and b.status <> 'INVALID'
      and b.id <> all(${own}::uuid[]) order by b.period_from, b.id`)
  const before = Map.groupBy(rows, row => row.loan_id)
  const earlierOf = (part: BilledPart): EarlierLine[] =>
    (before.get(part.loan.id) ?? []).flatMap(({ bill_id, printed }) =>
      printed.map(line => ({ ...line, bill_id })),
    )
  const correcting = parts.filter(part => {
    const lines = earlierOf(part).filter(line => line.component === 'INTEREST')
    return differences(part.steps, lines, end, [from]).some(run => run.from_on < from)
  })
  const bills = await issuedBills(tx, correcting, from)
  const facts = await factsOf(tx, correcting)
  return new Map(
    parts.map(part => {
      const { loan, steps, amount, mark_up, payer_id } = part
      const lines = before.get(loan.id) ?? []
      const sum = (of: (line: LineRead) => bigint) => lines.reduce((all, one) => all + of(one), 0n)
      const all = earlierOf(part)
      const printed = (component: Component, rate_ppm: number, cents: bigint, billed: bigint) =>
        printedLines({
          component,
          rate_ppm,
          steps,
          period_from: from,
          end,
          amount: cents,
          billed,
          earlier: all.filter(line => line.component === component),
          bills: bills.get(payer_id) ?? [],
          facts: facts.get(loan.id) ?? [],
          is_written_off: loan.written_off_on !== null,
        })
      const interest = sum(line => line.amount - line.mark_up)
      const of_partner = sum(line => line.mark_up)
      return [
        loan.id,
        [
          ...printed('INTEREST', loan.rate_ppm, amount - mark_up, interest),
          ...(loan.mark_up_ppm === 0 && of_partner === 0n && mark_up === 0n
            ? []
            : printed('PARTNER_MARK_UP', loan.mark_up_ppm, mark_up, of_partner)),
        ],
      ]
    }),
  )
}

/** Current versions of the payers' issued bills for periods before a date; by payer id. */
async function issuedBills(
  tx: Tx,
  parts: readonly BilledPart[],
  before: Day,
): Promise<Map<string, IssuedBill[]>> {
  if (parts.length === 0) return new Map()
  const payers = parts.map(({ loan, payer_id }) => ({ partner_id: loan.partner_id, id: payer_id }))
  const rows = await tx.all(sql<IssuedBill & { payer_id: string }>`
    select id, payer_id, period_from, period_to, ran_at from bills
    where ${haveKeys(payers, 'bills', 'payer_id')}
      and status not in ('GENERATED', 'INVALID') and period_to < ${before}::date
    order by period_from, id`)
  return Map.groupBy(rows, row => row.payer_id)
}

async function factsOf(tx: Tx, parts: readonly BilledPart[]): Promise<Map<string, LoanFact[]>> {
  if (parts.length === 0) return new Map()
  const loans = parts.map(part => part.loan)
  const rows = await tx.all(sql<LoanFact & { loan_id: string }>`
    with concerned as (select partner_id, id, interest_stops from loans
      where ${haveKeys(loans, 'loans')})
    select m.loan_id, 'REPAYMENT_VALUED_EARLIER' as reason, true as reduces_interest,
      m.value_on as from_on, null::date as until_on, m.booked_at as known_at
    from concerned c join loan_movements m on m.partner_id = c.partner_id and m.loan_id = c.id
      and m.kind = 'REPAYMENT'
    union all
    -- Movements voided for other reasons, such as an undone match, were not returned by the bank.
    select m.loan_id, case when m.kind = 'PAYOUT' then 'PAYOUT_RETURNED'
        when exists (select from payments b
          where ${IS_VOIDED_BY_RETURN} and b.bank_reference is not null)
        then 'COLLECTION_RETURNED' else 'RECALCULATED' end,
      m.kind = 'PAYOUT', m.value_on, null, m.voided_at
    from concerned c join loan_movements m on m.partner_id = c.partner_id and m.loan_id = c.id
      and m.kind in ('PAYOUT', 'REPAYMENT') and m.voided_at is not null
    union all
    select w.loan_id, 'WRITE_OFF', true, w.written_off_on, null, w.in_force_at
    from concerned c join write_offs w on w.partner_id = c.partner_id and w.loan_id = c.id
      and w.in_force_at is not null
    union all
    select c.id, 'INTEREST_STOPPED', true, s.from_on, s.until_on, null
    from concerned c cross join lateral
      jsonb_to_recordset(c.interest_stops) as s (from_on date, until_on date)`)
  return Map.groupBy(rows, row => row.loan_id)
}
