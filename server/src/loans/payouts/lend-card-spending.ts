/** The loan of a card cycle: what was cleared becomes one loan, already paid out. */
import { type RawBuilder, sql } from 'kysely'
import { birth, recordBirths } from '../../db/move.ts'
import type { Tx } from '../../db/transaction.ts'
import { enqueue } from '../../jobs/index.ts'
import { assert } from '../../kit/assert.ts'
import { sha256 } from '../../kit/crypto.ts'
import { addDays, type Day } from '../../kit/dates.ts'
import { rfReference } from '../../kit/reference.ts'
import { logLoanEvents } from '../log-store.ts'
import { lockLoanMoney, rebook } from '../money.ts'
import { planCollections } from '../repayment/plan-collections.ts'
import {
  type BorrowerFacts,
  readBorrowerFacts,
  readProducts,
  termsOf,
} from '../requests/situation.ts'
import { insertLoans, insertMovements } from '../store.ts'

const SERVICE = 'service'
const LOAN_TYPE = 'CREDIT_CARD_FINANCING'

export interface CardCycle {
  readonly borrower_id: string
  readonly caller_id: string
  /** Cents, above zero. */
  readonly amount: bigint
  /** The day the cycle closes: the loan's value date. */
  readonly closes_on: Day
}

/**
 * Lends what cards have spent: nobody is asked whether, for it is spent. From its value date on it
 * is a loan like any other; the cards' receivable in the books becomes its principal. The line is
 * locked by the caller, who takes the spending off it. Answers the loan's id.
 */
export async function lendCardSpending(tx: Tx, cycle: CardCycle): Promise<string> {
  const facts = (await readBorrowerFacts(tx, [cycle.borrower_id])).get(cycle.borrower_id)!
  const { partner_id } = facts
  const id = tx.newId()
  const born = birth('loan', [
    'check',
    'approve',
    'schedule_payout',
    'instruct_payout',
    'settle_payout',
  ])
  await insertLoans(tx, [{ ...(await rowOf(tx, id, facts, cycle)), status: born.status }])
  recordBirths(tx, SERVICE, [{ id, partner_id, birth: born }])
  const { amount, closes_on: value_on } = cycle
  await insertMovements(tx, [
    { loan_id: id, partner_id, kind: 'PAYOUT', payment_id: null, amount, value_on },
  ])
  const [loan] = await lockLoanMoney(tx, [id])
  await rebook(tx, SERVICE, loan!, {
    kind: 'card_cycle',
    value_on,
    cash: -amount,
    other: { code: 'card_receivable', owner_id: facts.id },
  })
  const logged = { loan_id: id, partner_id, principal_amount: amount }
  logLoanEvents(tx, [
    { ...logged, event_type: 'LOAN_VALIDATED' },
    { ...logged, event_type: 'LOAN_DISBURSEMENT_PAID' },
  ])
  await planCollections(tx, SERVICE, [id])
  enqueue(tx, 'write_contract', { loan_id: id })
  return id
}

async function rowOf(tx: Tx, id: string, facts: BorrowerFacts, cycle: CardCycle) {
  const product = (await readProducts(tx)).get(LOAN_TYPE)
  assert(product, 'the product of cards is there')
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
    ...termsOf(facts, product),
    salt_id: null,
    request_hash: sha256(id),
    auto_validate: true,
    to_pay_on: cycle.closes_on,
    to_repay_on,
    contractual_repayment_on: to_repay_on,
    // Paid out at the tills: the number says whose line it was.
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

/** Loans of a line's earlier cycles with principal owed or, where written off, lost. */
export function openCardLoansOf(credit_line_id: string | RawBuilder<unknown>) {
  return sql<{ id: string; owed: bigint }>`
    select n.id, o.owed from loans n cross join lateral (select case when n.written_off_on is null
        then n.principal_outstanding else n.principal_written_off - n.principal_recovered end
        as owed) o
    where n.borrower_id = (select borrower_id from credit_lines where id = ${credit_line_id})
      and n.credit_line_id = ${credit_line_id} and n.loan_type = ${sql.lit(LOAN_TYPE)}
      and o.owed > 0 and (n.status = 'TO_REPAY' or n.written_off_on is not null)`
}

/** The same, oldest due first, then by id; after them those that were written off. */
export async function openCardLoans(
  tx: Tx,
  credit_line_id: string,
): Promise<{ id: string; owed: bigint }[]> {
  return tx.all(sql<{ id: string; owed: bigint }>`${openCardLoansOf(credit_line_id)}
    order by n.written_off_on is not null, n.contractual_repayment_on, n.id`)
}
