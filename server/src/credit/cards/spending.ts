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
  /** Cents, signed: cleared spending that no loan has taken up. */
  card_spent: bigint
}

/** Books current-cycle spending (negative: returned money) in the ledger and on the line. */
export async function bookSpending(
  tx: Tx,
  line: SpentLine,
  kind: 'card_clearing' | 'card_refund',
  value_on: Day,
  amount: bigint,
): Promise<void> {
  const { partner_id, borrower_id } = line
  await post(tx, [
    {
      kind,
      partner_id,
      value_on,
      postings: transferPostings(
        { code: 'card_receivable', owner_id: borrower_id },
        { code: 'card_settlement', owner_id: null },
        amount,
      ),
    },
  ])
  await changeSpent(tx, [{ line, amount }])
}

/** Changes only the lines, for amounts that are booked elsewhere. */
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
