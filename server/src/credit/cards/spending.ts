/** Books the spending of a line's cards in the current cycle, in the ledger and on the line. */
import { changeLines, type LockedLine } from '../../companies/credit-lines/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { post, transferPostings } from '../../platform/ledger/index.ts'
import { lineUsage } from './rules.ts'

export interface SpentLine {
  readonly credit_line_id: LockedLine
  readonly partner_id: string
  readonly borrower_id: string
  /** Cents cleared but not yet financed by a loan, less cents returned; negative for a credit. */
  card_spent: bigint
}

/** Amounts in cents, negative for returned money. */
export async function bookSpending(
  tx: Tx,
  line: SpentLine,
  kind: 'card_clearing' | 'card_refund',
  spent: readonly { readonly value_on: Day; readonly amount: bigint }[],
): Promise<void> {
  if (spent.length === 0) return
  const { partner_id, borrower_id } = line
  const receivable = { code: 'card_receivable', owner_id: borrower_id } as const
  const settlement = { code: 'card_settlement', owner_id: null } as const
  const entries = spent.map(({ value_on, amount }) => {
    const postings = transferPostings(receivable, settlement, amount)
    return { kind, partner_id, value_on, postings }
  })
  await post(tx, entries)
  const amount = spent.reduce((sum, one) => sum + one.amount, 0n)
  await changeSpent(tx, [{ line, amount }])
}

/** Changes the lines only, for amounts whose ledger entries are booked elsewhere. */
export async function changeSpent(
  tx: Tx,
  changes: readonly {
    readonly line: Pick<SpentLine, 'partner_id' | 'credit_line_id' | 'card_spent'>
    readonly amount: bigint
  }[],
): Promise<void> {
  const lines = changes.map(({ line, amount }) => {
    const { partner_id, credit_line_id, card_spent } = line
    const outstanding = lineUsage(card_spent + amount) - lineUsage(card_spent)
    line.card_spent += amount
    return { partner_id, credit_line_id, outstanding, reserved: 0n, card_spent: amount }
  })
  await changeLines(tx, lines)
}
