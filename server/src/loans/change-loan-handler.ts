/** Serves PATCH /loan: asks the bank about a new payee first. */
import type { Prepared } from '../context.ts'
import { transaction } from '../db/transaction.ts'
import { parseIban } from '../kit/iban.ts'
import { problem } from '../kit/problem.ts'
import type { PayeeCheck } from '../ports/bank.ts'
import { changeLoan as change } from './change-loan.ts'
import { lockLoanMoney } from './money.ts'
import { readLoan, viewLoan } from './queries.ts'

export const changeLoan: Prepared<'changeLoan', PayeeCheck> = {
  prepare: async ({ database, ports }, { params, body, caller }) => {
    const partners = [caller.partner_id]
    const loan = await transaction(database, { partners, read_only: true }, tx =>
      readLoan(tx, caller.partner_id, params.loan_id),
    )
    if (!loan) throw problem('resource_unknown')
    if (body.loan_to?.account_number_type !== 'iban') return 'no_match'
    const parsed = parseIban(body.loan_to.account_number)
    if (!parsed.ok) return 'no_match'
    return ports.bank.verifyPayee({ iban: parsed.iban, identifier: loan.borrower.identifier })
  },
  handle: async (tx, { params, body, caller }, _context, check) => {
    const [loan] = await lockLoanMoney(tx, [params.loan_id])
    await change(tx, caller.caller_id, loan!, body, check)
    return viewLoan(tx, (await readLoan(tx, caller.partner_id, params.loan_id))!)
  },
}
