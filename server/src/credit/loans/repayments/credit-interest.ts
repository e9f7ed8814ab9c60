/** Moves interest without a payment: credits interest through a bill, and sets credits off. */
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { EntryKind } from '../../../platform/ledger/index.ts'
import { type LoanFact, lockLoanMoney } from '../booking/money.ts'
import type { LockedLoan, NewMovement } from '../store.ts'
import { voidCredits } from './credit-store.ts'
import { bookLoan } from './plan-payments.ts'

/** A bill of the loan's partner that credits its payer. */
export interface CreditNote extends RowKey {
  readonly payer_id: string
}

/**
 * Makes a bill credit `amount` cents of a loan's paid interest to its payer, in place of any
 * earlier credit by the same bill.
 */
export async function creditInterest(
  tx: Tx,
  loan_id: string,
  note: CreditNote,
  amount: bigint,
): Promise<void> {
  const [loan] = await lockLoanMoney(tx, [{ partner_id: note.partner_id, id: loan_id }])
  const before = await voidCredits(tx, loan!, note.id)
  const moved = amount > 0n ? [credit(tx, loan!, { kind: 'CREDIT', note, amount })] : []
  const kind = before === amount ? 'bill' : 'credit_note'
  await rebookCredit(tx, loan!, note, kind, before - amount, moved)
}

/** Pays the billed interest of a loan with the credit of another bill. */
export async function setOffInterest(
  tx: Tx,
  loan_id: string,
  note: CreditNote,
  paid: { bill_id: string; amount: bigint },
): Promise<void> {
  const [loan] = await lockLoanMoney(tx, [{ partner_id: note.partner_id, id: loan_id }])
  const moved = [credit(tx, loan!, { kind: 'BILL_PAYMENT', note, ...paid })]
  await rebookCredit(tx, loan!, note, 'credit_set_off', paid.amount, moved)
}

interface Moved {
  readonly kind: 'CREDIT' | 'BILL_PAYMENT'
  readonly note: CreditNote
  readonly amount: bigint
  readonly bill_id?: string
}

function credit(tx: Tx, loan: LockedLoan, { note, ...moved }: Moved): NewMovement {
  const { id: loan_id, partner_id } = loan
  const of = { loan_id, partner_id, payment_id: null, credit_bill_id: note.id }
  return { ...of, ...moved, value_on: tx.today }
}

async function rebookCredit(
  tx: Tx,
  loan: LockedLoan,
  { id, payer_id }: CreditNote,
  kind: EntryKind,
  cash: bigint,
  moved: readonly NewMovement[],
): Promise<void> {
  const other = { code: 'credit_notes_payable' as const, owner_id: payer_id }
  const fact: LoanFact = { kind, value_on: tx.today, cash, other, bill_id: id }
  await bookLoan(tx, { loan, fact, moved }, { keeps_principal: true })
}
