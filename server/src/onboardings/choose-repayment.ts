/** A step of an onboarding: how the company will pay back. */
import type { Tx } from '../db/transaction.ts'
import { parseBic, parseIban } from '../kit/iban.ts'
import { type InvalidParam, invalid } from '../kit/problem.ts'
import { lockOpen, type Repayment, setRepayment } from './store.ts'

/** Throws 422 for an account or bank that cannot be. Whose it is, its bank says later. */
export async function chooseRepayment(
  tx: Tx,
  onboarding_id: string,
  how: Repayment,
): Promise<void> {
  const session = await lockOpen(tx, onboarding_id)
  if (how.method === 'DIRECT_DEBIT') {
    const faults: InvalidParam[] = []
    const iban = parseIban(how.account_number)
    const bic = parseBic(how.bank_identifier)
    if (!iban.ok) faults.push({ name: 'account_number', reason: iban.reason })
    if (!bic.ok) faults.push({ name: 'bank_identifier', reason: bic.reason })
    if (faults.length > 0) throw invalid(...faults)
  }
  await setRepayment(tx, session.id, how)
}
