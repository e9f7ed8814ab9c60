/** A step of an onboarding: how the company repays. */
import type { Body } from '@headroom/contract'
import {
  ACCOUNT_NAMES,
  FaultCollector,
  readAccount,
  verifyAccount,
} from '../../companies/borrowers/index.ts'
import type { Context } from '../../context.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { scopeOfHolder } from './resume-link.ts'
import { lockOpen, type Repayment, setRepayment } from './store.ts'

/**
 * Stores the choice in the session. Throws `request_invalid` if the account of a direct debit is
 * missing, invalid or, according to its bank, of another holder. Throws `state_conflict` if the
 * session is not open, or has no company to check the holder against.
 */
export async function chooseRepayment(
  context: Context,
  session: RowKey,
  given: Body<'chooseOnboardingRepayment'>,
): Promise<void> {
  const how = readRepayment(given)
  const scope = scopeOfHolder(session.partner_id)
  if (how.method === 'DIRECT_DEBIT') {
    const { company } = await transaction(context.database, scope, tx => lockOpen(tx, session))
    if (!company) throw problem('state_conflict', 'Name the company first.')
    await verifyAccount(context, company, how.account_number, ACCOUNT_NAMES.iban)
  }
  await transaction(context.database, scope, async tx => {
    await lockOpen(tx, session)
    await setRepayment(tx, session, how)
  })
}

function readRepayment(given: Body<'chooseOnboardingRepayment'>): Repayment {
  if (given.method === 'SCT') return { method: 'SCT' }
  const { method, account_number: iban, bank_identifier: bic } = given
  const faults = new FaultCollector()
  if (!iban) faults.add(ACCOUNT_NAMES.iban, 'is required')
  if (!bic) faults.add(ACCOUNT_NAMES.bic, 'is required')
  // Normalizes the IBAN, since people type it in groups of four.
  const account = iban ? readAccount({ iban, bic }, ACCOUNT_NAMES, faults) : null
  faults.throwAny()
  return { method, account_number: account!.iban, bank_identifier: account!.bic! }
}
