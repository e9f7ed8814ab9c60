/** The general ledger: every posting of a period, in order of booking or value date. */

import { sql } from 'kysely'
import { nullForLender } from '../../platform/db/of-partner.ts'
import { queryBuilder } from '../../platform/db/transaction.ts'
import { addDays } from '../../platform/kit/dates.ts'
import {
  ACCOUNT_OF_POSTING,
  type AccountCode,
  chart,
  type Span,
  within,
} from '../../platform/ledger/index.ts'
import { inChunks, type Reader, type Row, sumOf } from './report.ts'
import { trialBalanceOf } from './trial-balance.ts'

interface Posted extends Row {
  account: AccountCode
  amount: bigint
}

const CODES = Object.keys(chart) as AccountCode[]

export const readLedger: Reader = async (tx, given) => {
  const { by, from, to: on, partner_id } = given
  const span: Span = { by, from, on }
  const moved = new Map<AccountCode, bigint>()
  async function* rows() {
    const { sql: text, parameters: values } = postingsOf(span, partner_id).compile(queryBuilder)
    for await (const piece of inChunks<Posted>(tx, { text, values })) {
      for (const { account, amount } of piece) {
        moved.set(account, (moved.get(account) ?? 0n) + amount)
      }
      yield piece.map(rowOf)
    }
  }
  return {
    columns: {
      entry_id: 'id',
      line: 'count',
      position: 'count',
      kind: 'word',
      booked_at: 'moment',
      value_on: 'day',
      account: 'word',
      title: 'text',
      owner_id: 'id',
      debit: 'cents',
      credit: 'cents',
      currency: 'text',
      partner_id: 'partner',
      loan_id: 'id',
      payment_id: 'id',
      bill_id: 'id',
    },
    rows: rows(),
    first: async max => {
      const sums = await tx.all(movementsOf(span, partner_id))
      for (const { account, amount } of sums) moved.set(account, amount)
      const posted = await tx.all(postingsOf(span, partner_id, max))
      return { rows: posted.map(rowOf), total: Number(sumOf(sums, 'postings')) }
    },
    reconcile: async () => {
      const until = await trialBalanceOf(tx, { by, on }, partner_id, CODES)
      const before = await trialBalanceOf(tx, { by, on: addDays(from, -1) }, partner_id, CODES)
      return [
        {
          with: 'every entry balances',
          reported: [...moved.values()].reduce((sum, amount) => sum + amount, 0n),
          found: 0n,
        },
        ...CODES.filter(code => moved.has(code) || until[code] !== before[code]).map(code => ({
          with: `trial balance of ${on} less that before ${from}: ${code}`,
          reported: moved.get(code) ?? 0n,
          found: until[code] - before[code],
        })),
      ]
    },
  }
}

const rowOf = (posting: Posted) => ({
  ...posting,
  title: chart[posting.account].title,
  ...sidesOf(posting.amount),
})

function sidesOf(amount: bigint) {
  return { debit: amount > 0n ? amount : null, credit: amount < 0n ? -amount : null }
}

/** SQL condition: the entry `e` belongs to the partner, if one is given. */
const of = (partner_id: string | null) =>
  sql`(${partner_id}::uuid is null or e.partner_id = ${partner_id})`

/** Selects all postings or the first `max`, in order of booking or value date. */
function postingsOf(span: Span, partner_id: string | null, max: number | null = null) {
  const first = span.by === 'value' ? sql`e.value_on, e.booked_at` : sql`e.booked_at`
  // Every entry has postings, so the first `max` entries contain the first `max` postings.
  return sql<Posted>`
    select e.id as entry_id, p.line, s.position, e.kind,
      to_char(e.booked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as booked_at,
      e.value_on, a.code as account, a.owner_id, p.amount, 'EUR' as currency,
      ${nullForLender('e.partner_id')} as partner_id, e.loan_id, e.payment_id,
      e.bill_id
    from (select e.* from ledger_entries e where ${within(span)} and ${of(partner_id)}
      order by ${first}, e.id limit ${max}) e
    join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
    join ledger_accounts a on ${ACCOUNT_OF_POSTING}
    left join ledger_seals s on s.partner_id = e.partner_id and s.entry_id = e.id
    order by ${first}, e.id, p.line limit ${max}`
}

/** The number and sum, by account, of all postings that `postingsOf` selects. */
function movementsOf(span: Span, partner_id: string | null) {
  return sql<{ account: AccountCode; postings: bigint; amount: bigint }>`
    select a.code as account, sum(p.postings)::bigint as postings, sum(p.amount)::bigint as amount
    from (select p.partner_id, p.account_id, count(*) as postings, sum(p.amount) as amount
      from ledger_entries e
      join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
      where ${within(span)} and ${of(partner_id)} group by p.partner_id, p.account_id) p
    join ledger_accounts a on ${ACCOUNT_OF_POSTING} group by a.code`
}
