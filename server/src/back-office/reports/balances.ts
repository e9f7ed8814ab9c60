/** Account balances on a day, by loan, borrower, referrer and partner. */
import { type RawBuilder, sql } from 'kysely'
import { ofEachPartner, ofPartner } from '../../platform/db/of-partner.ts'
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

export const readBalances: Reader = async (tx, given) => {
  const { by, as_of: on, partner_id, of } = given
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
    where ${ofPartner(partner_id, 'h')}`
}

/** Balances of one owner and, for a borrower, of its loans: sums of their postings. */
function ofOwner(cut: Cut, owner_id: string) {
  return sql`
    select a.owner_id, a.code as account, sum(p.amount)::bigint as amount
    from (select id as partner_id, id from partners where id = ${owner_id}
      union all select partner_id, id from borrowers
        where ${ofEachPartner('borrowers')} and id = ${owner_id}
      union all select partner_id, id from referrers
        where ${ofEachPartner('referrers')} and id = ${owner_id}
      union all select partner_id, id from loans
        where ${ofEachPartner('loans')} and id = ${owner_id}
      union all select partner_id, id from loans
        where ${ofEachPartner('loans')} and borrower_id = ${owner_id}) o
    join ledger_accounts a on a.partner_id = o.partner_id and a.owner_id = o.id
    join ledger_postings p on p.partner_id = a.partner_id and p.account_id = a.id
    join ledger_entries e on e.partner_id = p.partner_id and e.id = p.entry_id
    where ${within(cut)}
    group by a.partner_id, a.id having sum(p.amount) <> 0`
}
