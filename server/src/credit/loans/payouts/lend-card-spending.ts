/** Creates the loans of card cycles: the spending of a line becomes one loan, already paid out. */
import { sql } from 'kysely'
import { initialStatus, recordCreation } from '../../../platform/db/move.ts'
import { keysBy } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { sha256 } from '../../../platform/kit/crypto.ts'
import { addDays, type Day } from '../../../platform/kit/dates.ts'
import { rfReference } from '../../../platform/kit/reference.ts'
import { logLoanEvents } from '../booking/log-store.ts'
import { lockLoanMoney } from '../booking/money.ts'
import { firstDue } from '../installments.ts'
import type { LineOf } from '../last-card-loan.ts'
import { bookLoans } from '../repayments/plan-payments.ts'
import {
  type BorrowerFacts,
  feesOf,
  type ProductRow,
  readBorrowerFacts,
  readProducts,
} from '../requests/decision-inputs.ts'
import { insertLoans } from '../store.ts'

const LOAN_TYPE = 'CREDIT_CARD_FINANCING'

export interface CardCycle {
  readonly partner_id: string
  readonly borrower_id: string
  readonly caller_id: string
  /** Cents, above zero. */
  readonly amount: bigint
  /** The day the cycle closes, which is the loan's value date. */
  readonly closes_on: Day
}

/**
 * Turns cleared card spending into loans, without a decision, because the money is already spent.
 * From then on, each is a loan like any other; the card receivable in the ledger becomes its
 * principal. The caller has locked the lines and subtracted the spending from them. Returns the
 * loans' ids in the order of the cycles.
 */
export async function lendCardSpending(tx: Tx, cycles: readonly CardCycle[]): Promise<string[]> {
  if (cycles.length === 0) return []
  const facts = await readBorrowerFacts(tx, keysBy(cycles, 'borrower_id'))
  const product = (await readProducts(tx)).get(LOAN_TYPE)
  assert(product, 'the product of cards is there')
  const initial = initialStatus('loan', [
    'check',
    'approve',
    'schedule_payout',
    'instruct_payout',
    'settle_payout',
  ])
  const rows = cycles.map(cycle => {
    const row = rowOf(tx, product, facts.get(cycle.borrower_id)!, cycle)
    return { ...row, status: initial.status }
  })
  await insertLoans(tx, rows)
  const births = rows.map(({ id, partner_id }) => ({ id, partner_id, initial }))
  recordCreation(tx, births)
  await bookPayouts(tx, rows)
  for (const { id: loan_id, partner_id } of rows) {
    enqueue(tx, 'write_contract', { partner_id, loan_id }, partner_id)
  }
  return rows.map(row => row.id)
}

async function bookPayouts(tx: Tx, rows: readonly ReturnType<typeof rowOf>[]): Promise<void> {
  const loans = await lockLoanMoney(tx, rows)
  const payouts = loans.map(loan => {
    const { id: loan_id, partner_id, amount, to_pay_on: value_on, borrower_id: owner_id } = loan
    const other = { code: 'card_receivable' as const, owner_id }
    const fact = { kind: 'card_cycle' as const, value_on, cash: -amount, other }
    const kind = 'PAYOUT' as const
    const moved = [{ loan_id, partner_id, kind, payment_id: null, amount, value_on }]
    return { loan, fact, moved }
  })
  const logged = rows.map(({ id: loan_id, partner_id, amount: principal_amount }) => ({
    loan_id,
    partner_id,
    principal_amount,
  }))
  logLoanEvents(
    tx,
    (['LOAN_VALIDATED', 'LOAN_DISBURSEMENT_PAID'] as const).flatMap(event_type =>
      logged.map(one => ({ ...one, event_type })),
    ),
  )
  await bookLoans(tx, payouts)
}

function rowOf(tx: Tx, product: ProductRow, facts: BorrowerFacts, cycle: CardCycle) {
  const id = tx.newId()
  const to_repay_on = addDays(cycle.closes_on, product.duration_days_max)
  return {
    id,
    partner_id: facts.partner_id,
    caller_id: cycle.caller_id,
    borrower_id: facts.id,
    credit_line_id: facts.credit_line_id,
    product_id: product.id,
    borrower_product_id: null,
    loan_type: LOAN_TYPE,
    amount: cycle.amount,
    currency: product.currency,
    rate_ppm: product.rate_ppm,
    ...feesOf(facts, product),
    salt_id: null,
    request_hash: sha256(id),
    auto_validate: true,
    to_pay_on: cycle.closes_on,
    to_repay_on,
    contractual_repayment_on: to_repay_on,
    ...firstDue({ amount: cycle.amount, to_repay_on }, []),
    // The money was paid to merchants, so the account number names the credit line instead.
    loan_to: {
      account_number: facts.credit_line_id!,
      account_number_type: 'internal_id',
      bank_identifier: '',
      bank_identifier_type: 'undefined',
      name: facts.name,
    },
    loan_to_references: [],
    repayment_from_references: [],
    repayment_method: facts.method ?? 'SCT',
    mandate_id: facts.mandate_id,
    wallet_id: facts.wallet_id,
    repayment_iban: tx.settings.lender.collection_iban,
    repayment_reference: rfReference(id),
    notification_emails: [],
    metadata: {} as never,
    denial_reason: null,
    reserved: 0n,
    submitted_at: tx.now,
  }
}

/** A line's card loans with principal that is owed, or that was written off and not recovered. */
export function openCardLoansOf({ partner_id, credit_line_id }: LineOf) {
  return sql<{ id: string; owed: bigint }>`
    select n.id, o.owed from loans n cross join lateral (select case when n.written_off_on is null
        then n.principal_outstanding else n.principal_written_off - n.principal_recovered end
        as owed) o
    where n.partner_id = ${partner_id} and n.borrower_id = (select borrower_id from credit_lines
        where partner_id = ${partner_id} and id = ${credit_line_id})
      and n.credit_line_id = ${credit_line_id} and n.loan_type = ${sql.lit(LOAN_TYPE)}
      and o.owed > 0 and (n.status = 'TO_REPAY' or n.written_off_on is not null)`
}

/** The open card loans in order of original due date and id, written-off ones last. */
export async function openCardLoans(tx: Tx, line: LineOf): Promise<{ id: string; owed: bigint }[]> {
  return tx.all(sql<{ id: string; owed: bigint }>`${openCardLoansOf(line)}
    order by n.written_off_on is not null, n.contractual_repayment_on, n.id`)
}
