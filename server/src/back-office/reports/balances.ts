/** Account balances on a day, by loan, borrower, referrer and partner. */
import { type RawBuilder, sql } from 'kysely'
import { ofEachPartner } from '../../platform/db/of-partner.ts'
import { queryBuilder } from '../../platform/db/transaction.ts'
import {
  type AccountCode,
  type Cut,
  chart,
  OWNED_CODES,
  ownedBalances,
  within,
} from '../../platform/ledger/index.ts'
import { inChunks, type Reader, type Row, sumOf } from './report.ts'
import { trialBalanceOf } from './trial-balance.ts'

interface Held extends Row {
  account: AccountCode
  amount: bigint
}

export const readBalances: Reader = async (tx, wish) => {
  const { by, as_of: on, partner_id, of } = wish
  const cut: Cut = { by, on }
  const held = new Map<AccountCode, bigint>()
  const all = of ? ofOwner(cut, of) : ofAll(cut, partner_id)
  async function* rows() {
    const { sql: text, parameters: values } = inOrder(all).compile(queryBuilder)
    for await (const piece of inChunks<Held>(tx, { text, values })) {
      for (const { account, amount } of piece) {
        held.set(account, (held.get(account) ?? 0n) + amount)
      }
      yield piece.map(rowOf)
    }
  }
  return {
    columns: {
      owner_id: 'id',
      account: 'word',
      title: 'text',
      side: 'word',
      balance: 'cents',
    },
    rows: rows(),
    first: async max => {
      const sums = await tx.all(sql<Held & { owners: bigint }>`
        select h.account, count(*) as owners, sum(h.amount)::bigint as amount
        from (${all}) h group by h.account`)
      for (const { account, amount } of sums) held.set(account, amount)
      const first = await tx.all(sql<Held>`${inOrder(all)} limit ${max}`)
      return { rows: first.map(rowOf), total: Number(sumOf(sums, 'owners')) }
    },
    reconcile: async () => {
      if (of) return []
      const books = await trialBalanceOf(tx, cut, partner_id, OWNED_CODES)
      return OWNED_CODES.map(code => ({
        with: `trial balance: ${code}`,
        reported: held.get(code) ?? 0n,
        found: books[code],
      }))
    },
  }
}

function rowOf(row: Held) {
  const { title, side } = chart[row.account]
  return { ...row, title, side, balance: side === 'debit' ? row.amount : -row.amount }
}

const inOrder = (all: RawBuilder<unknown>) =>
  sql<Held>`select h.* from (${all}) h order by h.owner_id, h.account`

function ofAll(cut: Cut, partner_id: string | null) {
  return sql`
    select h.owner_id, h.code as account, h.amount from (${ownedBalances(cut, OWNED_CODES)}) h
    where ${partner_id}::uuid is null or exists (
      select from loans l where l.id = h.owner_id and l.partner_id = ${partner_id}
      union all select from borrowers b where b.id = h.owner_id and b.partner_id = ${partner_id}
      union all select from referrers r where r.id = h.owner_id and r.partner_id = ${partner_id}
      union all select where h.owner_id = ${partner_id})`
}

/** Balances of one owner and, for a borrower, of its loans: sums of their postings. */
function ofOwner(cut: Cut, owner_id: string) {
  return sql`
    select a.owner_id, a.code as account, sum(p.amount)::bigint as amount
    from (select ${owner_id}::uuid as id
      union all select id from loans
        where ${ofEachPartner('loans')} and borrower_id = ${owner_id}) o
    join ledger_accounts a on a.code = any(${OWNED_CODES}::text[]) and a.owner_id = o.id
    join ledger_postings p on p.account_id = a.id
    join ledger_entries e on e.id = p.entry_id
    where ${within(cut)}
    group by a.id having sum(p.amount) <> 0`
}
