/**
 * Records a borrower's signature, the terms it accepted and the result of its compliance check.
 * Enables direct debit if the required data is complete and the borrower has no method.
 */
import type { ComplianceStatus, Version } from '@headroom/contract'
import { sql } from 'kysely'
import { publishFact } from '../../../facts.ts'
import { TERMS_VERSION } from '../../../integrations/documents/index.ts'
import { move } from '../../../platform/db/move.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { latestAccount } from '../accounts.ts'
import { advanceBorrower } from '../advance-borrower.ts'
import { fullName, representativeData, representativeOf } from '../directors.ts'
import { termsFor } from '../products.ts'
import { recordProductEvents } from '../record-product-events.ts'
import { type DirectDebitData, isComplete } from '../repayment-methods/direct-debit-data.ts'
import { saveRepaymentMethod } from '../repayment-methods/enable-method.ts'
import { setCompliance } from '../restrictions/compliance.ts'
import { type BorrowerRow, insertAcceptance, setSigned } from '../store.ts'

export interface SignatureInput {
  readonly signed_at: Date
  /** The result of the compliance check, made before the transaction. */
  readonly compliance: ComplianceStatus
  readonly version: Version
}

/**
 * Records the signature of a locked borrower. Signing again with the same time has no effect.
 * Throws `state_conflict` if the borrower signed at another time, or has a status in which it
 * cannot sign.
 */
export async function signTerms(
  tx: Tx,
  borrower: BorrowerRow,
  { signed_at, compliance, version }: SignatureInput,
): Promise<void> {
  if (borrower.signed_at) {
    if (borrower.signed_at.getTime() === signed_at.getTime()) return
    const detail = `It was signed at ${borrower.signed_at.toISOString()}, which stands.`
    throw problem('state_conflict', detail, { resource_id: borrower.id })
  }
  await move(tx, 'borrower', [borrower], 'sign')
  await acceptTerms(tx, borrower, signed_at)
  await recordProductEvents(tx, [borrower])
  const key = { borrower_id: borrower.id, partner_id: borrower.partner_id }
  await setCompliance(tx, key, compliance)
  await publishFact(tx, 'borrower_signed', key)
  const signed = { ...borrower, signed_at }
  await enableCompleteDebit(tx, signed, signed_at)
  // API version 2023-09 predates repayment methods, so a borrower without a direct debit repays by
  // bank transfer.
  if (version === '2023-09' && !(await hasMethod(tx, borrower))) {
    await saveRepaymentMethod(tx, signed, {
      name: null,
      main: true,
      apply: false,
      mandate: null,
    })
  }
  await advanceBorrower(tx, key)
}

/** Records which text the borrower accepted: the terms in its preferred language, if available. */
async function acceptTerms(tx: Tx, borrower: BorrowerRow, accepted_at: Date): Promise<void> {
  const { country, preferred_language } = borrower
  const document = await termsFor(tx, country, preferred_language)
  assert(document, `no terms are stored for ${country}`)
  await insertAcceptance(tx, {
    borrower_id: borrower.id,
    partner_id: borrower.partner_id,
    version: TERMS_VERSION,
    country,
    language: document.language,
    document_id: document.id,
    accepted_at,
    actor: tx.actor,
  })
  await setSigned(tx, borrower, accepted_at, document.id)
}

/**
 * Enables the direct debit of a signed borrower that has all the required data and no method. The
 * mandate dates from `given_at`: when the borrower signed, or when the missing data arrived.
 */
export async function enableCompleteDebit(
  tx: Tx,
  borrower: BorrowerRow,
  given_at: Date,
): Promise<void> {
  const account = await latestAccount(tx, borrower)
  const representative = representativeOf(borrower.directors)
  const data: DirectDebitData = {
    iban: account?.iban ?? null,
    bic: account?.bic ?? null,
    business_email: borrower.business_email,
    ...representativeData(representative),
  }
  if (!borrower.signed_at || !isComplete(data) || (await hasMethod(tx, borrower))) return
  await saveRepaymentMethod(tx, borrower, {
    name: null,
    main: true,
    apply: false,
    mandate: {
      iban: data.iban,
      bic: data.bic,
      scheme: 'CORE',
      signed_at: given_at,
      signatory: fullName(representative),
    },
  })
}

async function hasMethod(tx: Tx, { partner_id, id }: RowKey): Promise<boolean> {
  const { there } = await tx.one(sql<{ there: boolean }>`
    select exists (select from repayment_methods
      where partner_id = ${partner_id} and borrower_id = ${id}
        and status <> 'DEACTIVATED') as there`)
  return there
}
