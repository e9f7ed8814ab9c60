/** Serves PATCH /loan/{loan_id}. The bank verifies a new payee first. */
import type { PreparedHandler } from '../../../context.ts'
import type { PayeeCheck } from '../../../integrations/ports/bank.ts'
import { readForPartner } from '../../../platform/db/transaction.ts'
import { parseIban } from '../../../platform/kit/iban.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { lockLoanMoney } from '../booking/money.ts'
import { readLoan, viewLoan } from '../queries.ts'
import { type CheckedChange, changeLoan as change, checkChange } from './change-loan.ts'

export const changeLoan: PreparedHandler<'changeLoan', PayeeCheck, CheckedChange> = {
  check: async (tx, { params: { loan_id }, body, caller: { partner_id } }) => {
    const [loan] = loan_id ? await lockLoanMoney(tx, [{ partner_id, id: loan_id }]) : []
    return checkChange(tx, loan, body)
  },
  prepare: async (context, { params, body, caller: { partner_id } }) => {
    const loan = await readForPartner(context, partner_id, tx =>
      readLoan(tx, partner_id, params.loan_id),
    )
    if (!loan) throw problem('resource_unknown')
    if (body.loan_to?.account_number_type !== 'iban') return 'no_match'
    const parsed = parseIban(body.loan_to.account_number)
    if (!parsed.ok) return 'no_match'
    return context.ports.bank.verifyPayee({
      iban: parsed.iban,
      identifier: loan.borrower.identifier,
    })
  },
  handle: async (tx, { params, body, caller, meaning }, _context, check) => {
    await change(tx, meaning, body, check)
    return viewLoan(tx, (await readLoan(tx, caller.partner_id, params.loan_id))!)
  },
}
