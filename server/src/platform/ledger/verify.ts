/** Recomputes the books from their postings and reports discrepancies. */
import { sql } from 'kysely'
import { LENDER } from '../db/of-partner.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNT_OF_POSTING, turnoversOf } from './balances.ts'
import { type Checks, type Finding, runChecks } from './checks.ts'
import { CHAIN_START, cashDaysOf, hashedEntry, type SealedEntry, sealHash } from './seal.ts'

export interface LedgerReport {
  entries: number
  postings: number
  sealed: number
  findings: Finding[]
}

const CHAIN_BATCH = 5000

const CHECKS: Checks = {
  trial_balance: sql`
    select 'all postings sum to ' || sum(amount) || ' instead of 0' as detail
    from ledger_postings having sum(amount) <> 0`,
  entry_balance: sql`
    select 'entry ' || e.id || ' sums to ' || coalesce(sum(p.amount), 0) as detail
    from ledger_entries e
    left join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
    group by e.partner_id, e.id having coalesce(sum(p.amount), 1) <> 0 order by e.id limit 5`,
  known_accounts: sql`
    select 'entry ' || p.entry_id || ' is not there, or account ' || p.account_id as detail
    from ledger_postings p
    left join ledger_entries e on e.partner_id = p.partner_id and e.id = p.entry_id
    left join ledger_accounts a on ${ACCOUNT_OF_POSTING} where e.id is null or a.id is null
    union all
    select 'a balance is kept of account ' || b.account_id || ', which is not there'
    from ledger_balances b
    left join ledger_accounts a on a.partner_id = b.partner_id and a.id = b.account_id
    where a.id is null limit 5`,
  // An entry in neither table would be missing from lender balances; one in both would count twice.
  sealed_or_waiting: sql`
    select 'entry ' || e.id || case when s.entry_id is null then ' is not sealed and does not wait'
      else ' is sealed and waits for it' end as detail
    from ledger_entries e
    left join ledger_seals s on s.partner_id = e.partner_id and s.entry_id = e.id
    left join ledger_unsealed u on u.partner_id = e.partner_id and u.entry_id = e.id
    where (s.entry_id is null) = (u.entry_id is null) limit 5`,
  sealed_balance: sql`
    select 'sealed, account ' || a.code || ' is kept with ' || coalesce(b.amount, 0)
      || ', its postings ' || coalesce(s.amount, 0) as detail
    from ledger_accounts a
    left join ledger_sealed_balances b on b.partner_id = a.partner_id and b.account_id = a.id
    left join (select p.account_id, sum(p.amount) as amount from ledger_postings p
      join ledger_seals e on e.partner_id = p.partner_id and e.entry_id = p.entry_id
      group by p.account_id) s on s.account_id = a.id
    where a.partner_id = ${LENDER} and coalesce(b.amount, 0) <> coalesce(s.amount, 0) limit 5`,
  cash_day: sql`
    select 'sealed, cash of account ' || coalesce(d.account_id, s.id) || ' on '
      || coalesce(d.booked_on, s.booked_on) || ' is kept with ' || coalesce(d.amount, 0)
      || ', its postings ' || coalesce(s.amount, 0) as detail
    from (${cashDaysOf(sql`ledger_seals`)}) s
    full join ledger_cash_days d on d.partner_id = s.partner_id and d.account_id = s.id
      and d.booked_on = s.booked_on
    where coalesce(d.amount, 0) <> coalesce(s.amount, 0) limit 5`,
  turnover: sql`
    select coalesce(t.code, s.code) || ' of ' || coalesce(t.booked_on, s.booked_on)
      || ' turned over ' || coalesce(s.debit, 0) || ' and ' || coalesce(s.credit, 0)
      || ', kept is ' || coalesce(t.debit, 0) || ' and ' || coalesce(t.credit, 0) as detail
    from (${turnoversOf(sql`ledger_seals`)}) s
    full join ledger_turnovers t on t.partner_id = s.partner_id and t.booked_on = s.booked_on
      and t.value_on = s.value_on and t.code = s.code
    where coalesce(t.debit, 0) <> coalesce(s.debit, 0)
      or coalesce(t.credit, 0) <> coalesce(s.credit, 0) limit 5`,
  running_balance: sql`
    select 'account ' || a.code || ' of ' || a.owner_id || ' holds ' || coalesce(b.amount, 0)
      || ', its postings ' || coalesce(sum(p.amount), 0) as detail
    from ledger_accounts a
    left join ledger_balances b on b.partner_id = a.partner_id and b.account_id = a.id
    left join ledger_postings p on p.partner_id = a.partner_id and p.account_id = a.id
    where a.partner_id <> ${LENDER}
    group by a.partner_id, a.id, b.amount
    having coalesce(sum(p.amount), 0) <> coalesce(b.amount, 0) order by a.id limit 5`,
}

/** Verifies the ledger alone; modules add checks of their own figures against it. */
export async function verifyLedger(tx: Tx): Promise<LedgerReport> {
  const findings = [...(await runChecks(tx, CHECKS)), ...(await verifyChain(tx))]
  const counts = await tx.one(sql<{ entries: number; postings: number; sealed: number }>`
    select (select count(*)::int from ledger_entries) as entries,
      (select count(*)::int from ledger_postings) as postings,
      (select count(*)::int from ledger_seals) as sealed`)
  return { ...counts, findings }
}

interface Seal {
  position: bigint
  entry_id: string
  hash: string
}

/** Walks the chain in order and stops at the first seal that does not match. */
async function verifyChain(tx: Tx): Promise<Finding[]> {
  let previous = CHAIN_START
  for (let position = 0n; ; ) {
    const rows = await tx.all(sql<Partial<SealedEntry> & Seal>`
      select s.position, s.entry_id, s.hash, ${hashedEntry}
      from ledger_seals s
      left join ledger_entries e on e.partner_id = s.partner_id and e.id = s.entry_id
      where s.position > ${position} order by s.position limit ${CHAIN_BATCH}`)
    if (rows.length === 0) return []
    for (const row of rows) {
      const fits =
        row.id &&
        row.position === position + 1n &&
        row.hash === sealHash(previous, row as SealedEntry)
      if (!fits) {
        const what = row.id ? 'does not fit the chain' : 'is gone'
        const detail = `entry ${row.entry_id} at position ${row.position} ${what}`
        return [{ check: 'hash_chain', detail }]
      }
      previous = row.hash
      position = row.position
    }
  }
}
