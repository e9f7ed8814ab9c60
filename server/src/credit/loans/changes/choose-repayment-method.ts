/** Moves a borrower's open loans to another repayment method. */
import { sql } from 'kysely'
import {
  type ActiveMethod,
  activeMethods,
  sameDebitSource,
} from '../../../companies/borrowers/index.ts'
import { frozenUntil, pendingDebits, splitFrozen } from '../../../money/payments/index.ts'
import { move } from '../../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { lockLoansWithLinks } from '../booking/links.ts'
import { lockLoanMoney } from '../booking/money.ts'
import { planCollections } from '../repayments/plan-collections.ts'
import { type LoanRow, setMethod } from '../store.ts'
import { amendLoans } from './agree-repayment.ts'
import { describeChanges } from './changeable.ts'

interface Fact {
  borrower_id: string
  partner_id: string
  repayment_method_id: string
}

const SETTLED = ['CLOSED', 'DECLINED', 'CANCELED', 'DELETED', 'TO_REPAY_FEES']

/**
 * Moves the borrower's open loans to the chosen method. Leaves frozen debits as they are: direct
 * debits due within three TARGET days, and debits already at the bank. The loans' amounts and due
 * dates stay the same.
 */
export async function chooseRepaymentMethod(tx: Tx, fact: Fact): Promise<void> {
  const borrower = { partner_id: fact.partner_id, id: fact.borrower_id }
  const methods = (await activeMethods(tx, [borrower])).get(borrower.id)
  const method = methods?.find(m => m.id === fact.repayment_method_id)
  assert(method, `method ${fact.repayment_method_id} is in force`)
  const active = await tx.all(sql<RowKey>`
    select partner_id, id from loans
    where ${haveKeys([borrower], 'loans', 'borrower_id')} and status <> all(${SETTLED}::text[])
    order by id`)
  const loans = await lockLoanMoney(tx, active)
  await chooseFor(
    tx,
    loans.filter(loan => !SETTLED.includes(loan.status) && !isCollectedBy(loan, method)),
    method,
  )
}

function isCollectedBy(loan: LoanRow, method: ActiveMethod): boolean {
  return method.payment_method === loan.repayment_method && sameDebitSource(method, loan)
}

/** Loans whose pending debits are all frozen stay unchanged. */
async function chooseFor(tx: Tx, loans: readonly LoanRow[], method: ActiveMethod): Promise<void> {
  if (loans.length === 0) return
  const frozen_until = frozenUntil(tx.today)
  const pending = Map.groupBy(await pendingDebits(tx, loans), debit => debit.loan_id!)
  const reached = loans.flatMap(loan => {
    const { frozen, free } = splitFrozen(pending.get(loan.id) ?? [], frozen_until)
    return frozen.length > 0 && free.length === 0 ? [] : [{ loan, free }]
  })
  const free = reached.flatMap(one => one.free)
  await move(tx, 'payment', free, 'cancel', 'another repayment method')
  const changing = reached.map(one => one.loan)
  await setMethod(tx, changing, method)
  await planCollections(tx, await lockLoansWithLinks(tx, changing), {
    retries: false,
    free_from: frozen_until,
  })
  const byChange = Map.groupBy(reached, one => changesOf(one.loan, method))
  for (const [changes, group] of byChange) {
    amendLoans(
      tx,
      group.map(one => one.loan),
      changes,
    )
  }
}

function changesOf(loan: LoanRow, method: ActiveMethod): string {
  return describeChanges({
    repayment_method: [loan.repayment_method, method.payment_method],
    mandate: [loan.mandate_id ?? 'none', method.mandate_id ?? 'none'],
    wallet: [loan.wallet_id ?? 'none', method.wallet_id ?? 'none'],
  })
}
