/** Completes the data of a borrower after its creation. */
import type { UpdateBorrowerBody } from '@headroom/contract'
import type { Inspect } from '../../../context.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import type { Actor } from '../../../platform/db/move.ts'
import { readAs, type Tx } from '../../../platform/db/transaction.ts'
import { newId } from '../../../platform/kit/ids.ts'
import { isAccountOfAnother, latestAccount, NOT_OWN, putAccountOnFile } from '../accounts.ts'
import { readDirectors } from '../directors.ts'
import { Faults } from '../faults.ts'
import { progress } from '../progress.ts'
import {
  type BankAccount,
  readAccount,
  readAddress,
  readBic,
  readLanguage,
} from '../read-fields.ts'
import { type BorrowerData, type BorrowerRow, updateData } from '../store.ts'
import { assertUsable } from '../usable.ts'
import { ACCOUNT_NAMES, businessEmail } from './read-new-borrower.ts'
import { enableCompleteDebit } from './sign-borrower.ts'

/**
 * Changes what the body names; a field that is absent or null stays. A signed borrower without a
 * repayment method whose data are then complete has its direct debit enabled. `own` is false when
 * the bank names another holder of the account. Throws `request_invalid` with every fault, and
 * `state_conflict` for a borrower that is closed.
 */
export async function updateBorrower(
  tx: Tx,
  actor: Actor,
  borrower: BorrowerRow,
  body: UpdateBorrowerBody,
  own: boolean,
): Promise<void> {
  assertUsable(borrower)
  const faults = new Faults()
  const account = await changedAccount(tx, borrower, body, faults)
  const directors = body.directors
    ? readDirectors(body.directors, tx.today, tx.newId, faults)
    : borrower.directors
  const data: BorrowerData = {
    directors,
    address: readAddress(body.address, 'address', faults) ?? borrower.address,
    preferred_language:
      readLanguage(body.preferred_language, faults) ?? borrower.preferred_language,
    business_email: businessEmail(directors) ?? borrower.business_email,
    metadata: body.metadata ?? borrower.metadata,
  }
  if (account && (!own || (await isAccountOfAnother(tx, borrower, account.iban)))) {
    faults.add(ACCOUNT_NAMES.iban, NOT_OWN)
  }
  faults.throwAny()
  if (account) {
    const { iban, bic } = account
    await putAccountOnFile(tx, borrower, { account_number: iban, bank_identifier: bic })
  }
  await updateData(tx, borrower.id, data)
  if (data.business_email) await clearAlert(tx, 'borrower_without_email', borrower.id)
  if (!borrower.signed_at) return
  await enableCompleteDebit(tx, actor, { ...borrower, ...data }, tx.now)
  await progress(tx, actor, { borrower_id: borrower.id, partner_id: borrower.partner_id })
}

/** What is wrong beside what the schema says, in fields that are well-formed by themselves. */
export const inspectUpdate: Inspect<'updateBorrower'> = async (context, look) => {
  const { body: fields, caller } = look
  const today = await readAs(context, caller.partner_id, tx => tx.today)
  const faults = new Faults()
  // Alone the BIC may belong to the account given last, or to one that has another fault.
  const { account_number: iban, bank_identifier: bic } = fields
  if (iban) readAccount({ iban, bic }, ACCOUNT_NAMES, faults)
  else readBic(bic, ACCOUNT_NAMES.bic, faults)
  readDirectors(fields.directors, today, newId, faults)
  readAddress(fields.address, 'address', faults)
  readLanguage(fields.preferred_language, faults)
  return faults.found
}

/** The account that the body names; a bank identifier alone belongs to the one given last. */
async function changedAccount(
  tx: Tx,
  borrower: BorrowerRow,
  body: UpdateBorrowerBody,
  faults: Faults,
): Promise<BankAccount | null> {
  const { account_number: iban, bank_identifier: bic } = body
  const latest = iban || !bic ? undefined : await latestAccount(tx, borrower.id)
  if (!latest) return readAccount({ iban, bic }, ACCOUNT_NAMES, faults)
  return { iban: latest.iban, bic: readBic(bic, ACCOUNT_NAMES.bic, faults) }
}
