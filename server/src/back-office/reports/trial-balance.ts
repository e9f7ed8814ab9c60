/** The trial balance: debits and credits of every account as of a day. */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import {
  type AccountCode,
  chart,
  OWNED_CODES,
  readTurnover,
  type Span,
} from '../../platform/ledger/index.ts'
import { type Reader, type Reconciled, sumOf } from './report.ts'

export const readTrialBalance: Reader = async (tx, parameters) => {
  const { by, as_of: on, partner_id } = parameters
  const turnover = await readTurnover(tx, { by, on }, partner_id)
  const rows = (Object.keys(chart) as AccountCode[]).map(account => {
    const { debit, credit } = turnover.get(account) ?? { debit: 0n, credit: 0n }
    const { title, side } = chart[account]
    const balance = side === 'debit' ? debit - credit : credit - debit
    return { account, title, side, debit, credit, balance }
  })
  return {
    columns: {
      account: 'word',
      title: 'text',
      side: 'word',
      debit: 'cents',
      credit: 'cents',
      balance: 'cents',
    },
    rows: [rows],
    reconcile: async () => [
      {
        with: 'debits equal credits',
        reported: sumOf(rows, 'debit'),
        found: sumOf(rows, 'credit'),
      },
      ...(by === 'booked' && on >= tx.today && !partner_id
        ? await reconcileRunningBalances(tx, turnover)
        : []),
    ],
  }
}

/** Compares the postings with the stored running balances, as of now. */
async function reconcileRunningBalances(
  tx: Tx,
  turnover: Awaited<ReturnType<typeof readTurnover>>,
): Promise<Reconciled[]> {
  const rows = await tx.all(sql<{ code: AccountCode; amount: bigint }>`
    select a.code, sum(b.amount)::bigint as amount
    from ledger_balances b
    join ledger_accounts a on a.partner_id = b.partner_id and a.id = b.account_id group by a.code`)
  const running = new Map(rows.map(row => [row.code, row.amount]))
  return OWNED_CODES.map(code => ({
    with: `running balances of ${code}`,
    reported: netOf(turnover, code),
    found: running.get(code) ?? 0n,
  }))
}

function netOf(turnover: Awaited<ReturnType<typeof readTurnover>>, code: AccountCode): bigint {
  const { debit, credit } = turnover.get(code) ?? { debit: 0n, credit: 0n }
  return debit - credit
}

/**
 * The trial balance of these accounts in cents, debit positive; other reports reconcile with it.
 */
export async function trialBalanceOf<K extends AccountCode>(
  tx: Tx,
  span: Span,
  partner_id: string | null,
  codes: readonly K[],
): Promise<Record<K, bigint>> {
  const turnover = await readTurnover(tx, span, partner_id)
  const pairs = codes.map(code => [code, netOf(turnover, code)])
  return Object.fromEntries(pairs) as Record<K, bigint>
}
