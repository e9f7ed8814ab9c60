/** Changes a borrower's data after its creation. */
import type { UpdateBorrowerBody } from '@headroom/contract'
import type { Validation } from '../../../context.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import { isAccountOfAnother, latestAccount, NOT_OWNED, putAccountOnFile } from '../accounts.ts'
import { advanceBorrower } from '../advance-borrower.ts'
import { assertNotClosed } from '../assert-not-closed.ts'
import { readDirectors } from '../directors.ts'
import { FaultCollector } from '../faults.ts'
import {
  type BankAccount,
  readAccount,
  readAddress,
  readBic,
  readLanguage,
} from '../read-fields.ts'
import { type BorrowerData, type BorrowerRow, updateData } from '../store.ts'
import { ACCOUNT_NAMES, businessEmail } from './read-new-borrower.ts'
import { enableCompleteDebit } from './sign-borrower.ts'

/** A validated change. `data` holds the stored value of every field that the request omits. */
export interface BorrowerChange {
  readonly borrower: BorrowerRow
  readonly data: BorrowerData
  readonly account: BankAccount | null
}

/**
 * Validates a change to a locked borrower. `own` is false if the bank reports another holder of the
 * account.
 */
export async function checkUpdate(
  tx: Tx,
  borrower: BorrowerRow | undefined,
  body: WellFormed<UpdateBorrowerBody>,
  own: boolean,
): Promise<Validation<BorrowerChange>> {
  const faults = new FaultCollector()
  const account = await changedAccount(tx, borrower, body, faults)
  const directors = body.directors && readDirectors(body.directors, tx.today, tx.newId, faults)
  const address = readAddress(body.address, 'address', faults)
  const preferred_language = readLanguage(body.preferred_language, faults)
  if (!borrower) return { faults: faults.found, meaning: null }
  if (account && (!own || (await isAccountOfAnother(tx, borrower, account.iban)))) {
    faults.add(ACCOUNT_NAMES.iban, NOT_OWNED)
  }
  const data = {
    directors: directors ?? borrower.directors,
    address: address ?? borrower.address,
    preferred_language: preferred_language ?? borrower.preferred_language,
    business_email: businessEmail(directors ?? borrower.directors) ?? borrower.business_email,
    metadata: body.metadata ?? borrower.metadata,
  }
  return { faults: faults.found, meaning: { borrower, data, account } }
}

/**
 * Applies a change. If a signed borrower without a repayment method then has all the required data,
 * its direct debit is enabled. Throws `state_conflict` if the borrower is closed.
 */
export async function updateBorrower(
  tx: Tx,
  { borrower, data, account }: BorrowerChange,
): Promise<void> {
  assertNotClosed(borrower)
  if (account) {
    const { iban, bic } = account
    await putAccountOnFile(tx, borrower, { account_number: iban, bank_identifier: bic })
  }
  await updateData(tx, borrower, data)
  if (data.business_email) await clearAlert(tx, 'borrower_without_email', borrower.id)
  if (!borrower.signed_at) return
  await enableCompleteDebit(tx, { ...borrower, ...data }, tx.now)
  await advanceBorrower(tx, { borrower_id: borrower.id, partner_id: borrower.partner_id })
}

/** The account in the body. A bank identifier alone applies to the borrower's latest account. */
async function changedAccount(
  tx: Tx,
  borrower: BorrowerRow | undefined,
  body: WellFormed<UpdateBorrowerBody>,
  faults: FaultCollector,
): Promise<BankAccount | null> {
  const { account_number: iban, bank_identifier: bic } = body
  if (iban || !bic) return readAccount({ iban, bic }, ACCOUNT_NAMES, faults)
  const latest = borrower && (await latestAccount(tx, borrower))
  if (borrower && !latest) return readAccount({ iban, bic }, ACCOUNT_NAMES, faults)
  const read = readBic(bic, ACCOUNT_NAMES.bic, faults)
  return latest ? { iban: latest.iban, bic: read } : null
}
