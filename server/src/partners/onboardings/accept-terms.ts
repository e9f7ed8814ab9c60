/** The last step of an onboarding: accepting the terms makes the company a borrower. */
import { type AcceptTermsBody, CreateBorrowerBody, operations } from '@headroom/contract'
import { sql } from 'kysely'
import { borrowerHandlers } from '../../companies/borrowers/handlers.ts'
import { FaultCollector, termsFor } from '../../companies/borrowers/index.ts'
import { type Context, requireValid } from '../../context.ts'
import { ANONYMOUS } from '../../platform/access/index.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { closeDuplicateSessions } from './join-borrower.ts'
import { mailDocuments } from './mail-documents.ts'
import { scopeOfHolder } from './resume-link.ts'
import { lockOpen, type OnboardingRow } from './store.ts'

/**
 * Creates the borrower from the data of the earlier steps, signs, enables its repayment method,
 * mails the documents and completes the session, all or nothing. Returns the borrower's id. Throws
 * the problems of creating a borrower, `request_invalid` for a missing consent, and
 * `state_conflict` if the session is not open, a step is missing or the terms have changed.
 */
export async function acceptTerms(
  context: Context,
  { id, partner_id }: { id: string; partner_id: string },
  agreed: AcceptTermsBody,
): Promise<string> {
  const scope = scopeOfHolder(partner_id)
  const body = await transaction(context.database, scope, async tx => {
    const session = await lockOpen(tx, { partner_id, id })
    const body = borrowerBody(session, tx.now)
    await checkAgreed(tx, session, agreed)
    return body
  })
  const about = { query: undefined, request_id: id, idempotency_key: null, path: '' }
  const call = {
    ...about,
    params: undefined,
    body,
    caller: { ...ANONYMOUS, partner_id },
  }
  const { createBorrower, addRepaymentMethod } = borrowerHandlers
  const creation = { ...call, meaning: requireValid(await createBorrower.read(context, call)) }
  const fetched = await createBorrower.prepare(context, creation)
  return transaction(context.database, scope, async tx => {
    const session = await lockOpen(tx, { partner_id, id })
    await closeDuplicateSessions(tx, session)
    await createBorrower.handle(tx, creation, context, fetched)
    const { borrower_id } = await tx.one(sql<{ borrower_id: string }>`
      select borrower_id from onboardings where partner_id = ${partner_id} and id = ${id}`)
    if (session.repayment?.method === 'SCT') {
      const method = { ...call, params: { borrower_id }, body: byTransfer }
      const meaning = requireValid(await addRepaymentMethod.check(tx, method, true))
      await addRepaymentMethod.handle(tx, { ...method, meaning })
    }
    await mailDocuments(tx, session, borrower_id)
    return borrower_id
  })
}

async function checkAgreed(
  tx: Tx,
  { company, preferred_language, repayment }: OnboardingRow,
  { terms_id, accepts_terms, gives_mandate }: AcceptTermsBody,
): Promise<void> {
  const faults = new FaultCollector()
  if (!accepts_terms) faults.add('accepts_terms', 'is needed to go on')
  if (repayment?.method === 'DIRECT_DEBIT' && !gives_mandate) {
    faults.add('gives_mandate', 'is needed for a direct debit')
  }
  faults.throwAny()
  const terms = await termsFor(tx, company!.country, preferred_language)
  if (terms?.id !== terms_id) throw problem('state_conflict', 'The terms have changed: read them.')
}

const byTransfer = operations.addRepaymentMethod.body.parse({
  payment_method: 'SCT',
  is_default_repayment_method: true,
  apply_to_all_active_loans: false,
})

function borrowerBody(session: OnboardingRow, accepted_at: Date): CreateBorrowerBody {
  const { company, representative, repayment } = session
  if (!company) throw missing('company')
  if (!representative) throw missing('representative')
  if (!repayment) throw missing('repayment method')
  const { country_of_residence, email, ...person } = representative
  const account = repayment.method === 'DIRECT_DEBIT' ? repayment : null
  return CreateBorrowerBody.parse({
    identifier: session.identifier,
    identifier_type: session.identifier_type,
    account_number: account?.account_number,
    bank_identifier: account?.bank_identifier,
    directors: [{ ...person, business_email: email, address: { country: country_of_residence } }],
    preferred_language: session.preferred_language,
    signed_at: accepted_at.toISOString(),
  })
}

function missing(what: string) {
  return problem('state_conflict', `The onboarding has no ${what} yet.`)
}
