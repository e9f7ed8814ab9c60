/** Handlers of the operations on onboardings. */
import type { Handler, PreparedHandler } from '../../context.ts'
import type { Caller } from '../../platform/access/caller.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { type CompanyData, fetchCompanyData, readCompanyNumber } from '../eligibility/index.ts'
import { createOnboarding as create } from './create-onboarding.ts'
import { findOnboardingView } from './queries.ts'
import { stepHandlers } from './steps.ts'

const createOnboarding: PreparedHandler<'createOnboarding', CompanyData | null> = {
  prepare: async (context, { body, caller }) => {
    if (!body.business) return null
    const meaning = readCompanyNumber(body.business, 'business.identifier')
    return fetchCompanyData(context, caller.partner_id, meaning)
  },
  handle: async (tx, { body, caller }, _context, fetched) => {
    const { partner_id } = caller
    return viewOf(tx, caller, await create(tx, partner_id, body, fetched))
  },
}

const getOnboarding: Handler<'getOnboarding'> = async (tx, { params, caller }) =>
  viewOf(tx, caller, params.onboarding_id)

export const onboardingHandlers = { createOnboarding, getOnboarding, ...stepHandlers }

async function viewOf(tx: Tx, caller: Caller, id: string) {
  const view = await findOnboardingView(tx, caller, id)
  if (!view) throw problem('resource_unknown')
  return view
}
