/** What each account held on a day: the books by loan, borrower, referrer and partner. */
import { sql } from 'kysely'
import { build } from '../db/transaction.ts'
import {
  type AccountCode,
  type Cut,
  chart,
  OWNED_CODES,
  ownedBalances,
  within,
} from '../ledger/index.ts'
import { inPieces, type Reader, type Row } from './report.ts'
import { trialBalanceOf } from './trial-balance.ts'

interface Held extends Row {
  account: AccountCode
  amount: bigint
}

export const readBalances: Reader = async (tx, wish) => {
  const { by, as_of: on, partner_id, of } = wish
  const cut: Cut = { by, on }
  const held = new Map<AccountCode, bigint>()
  async function* rows() {
    for await (const piece of inPieces<Held>(tx, of ? ofOwner(cut, of) : ofAll(cut, partner_id))) {
      yield piece.map(row => {
        const { account, amount } = row
        held.set(account, (held.get(account) ?? 0n) + amount)
        const { title, side } = chart[account]
        return { ...row, title, side, balance: side === 'debit' ? amount : -amount }
      })
    }
  }
  return {
    columns: {
      ...{ owner_id: 'id', account: 'word', title: 'text', side: 'word', balance: 'cents' },
    },
    rows: rows(),
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

function ofAll(cut: Cut, partner_id: string | null) {
  const { sql: text, parameters: values } = sql`
    select h.owner_id, h.code as account, h.amount from (${ownedBalances(cut, OWNED_CODES)}) h
    where ${partner_id}::uuid is null or exists (
      select from loans l where l.id = h.owner_id and l.partner_id = ${partner_id}
      union all select from borrowers b where b.id = h.owner_id and b.partner_id = ${partner_id}
      union all select from referrers r where r.id = h.owner_id and r.partner_id = ${partner_id}
      union all select where h.owner_id = ${partner_id})
    order by h.owner_id, h.code`.compile(build)
  return { text, values }
}

/** Of one owner, and of the loans of a borrower: summed from the postings of these accounts. */
function ofOwner(cut: Cut, owner_id: string) {
  const { sql: text, parameters: values } = sql`
    select a.owner_id, a.code as account, sum(p.amount)::bigint as amount
    from (select ${owner_id}::uuid as id
      union all select id from loans where borrower_id = ${owner_id}) o
    join ledger_accounts a on a.code = any(${OWNED_CODES}::text[]) and a.owner_id = o.id
    join ledger_postings p on p.account_id = a.id
    join ledger_entries e on e.id = p.entry_id
    where ${within(cut)}
    group by a.id having sum(p.amount) <> 0 order by a.owner_id, a.code`.compile(build)
  return { text, values }
}
