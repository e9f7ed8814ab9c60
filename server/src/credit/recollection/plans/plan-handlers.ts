/** Handlers of the operations on plans. */
import type { SourcedAccountCreation } from '@headroom/contract'
import type { z } from 'zod'
import { walletAccount } from '../../../companies/borrowers/index.ts'
import { type CheckedHandler, type Handler, Reply } from '../../../context.ts'
import { parseIban } from '../../../platform/kit/iban.ts'
import { ibanAccount } from '../../../platform/kit/payment-account.ts'
import { findingsIn, type InvalidParam, problem } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import { lockOpenCase } from '../cases/change-case.ts'
import { findCaseView } from '../cases/queries.ts'
import { findRepeat, type ReferenceMatch } from '../client-references.ts'
import {
  type CheckedTerms,
  checkTerms,
  computePlan,
  debtsOfCase,
  debtsOfRequest,
} from './compute-plan.ts'
import { type CheckedPlan, checkPlan, createPlan } from './create-plan.ts'
import { findPlanView, listInstallments } from './queries.ts'
import { readPlan, readRecollectionPlan } from './read-plan.ts'

const REPLAYED = { headers: { 'idempotent-replayed': 'true' } }
const REFERENCED = { table: 'installment_plans' } as const

const computeInstallmentPlan: CheckedHandler<'computeInstallmentPlan', CheckedTerms> = {
  check: async (tx, { body, caller: { partner_id } }) => {
    const named = await findingsIn(() => debtsOfRequest(tx, partner_id, body))
    const { faults, meaning } = await checkTerms(tx, partner_id, named.meaning, body)
    return { faults: [...named.faults, ...faults], meaning }
  },
  handle: (tx, { body, caller, meaning }) => computePlan(tx, caller.partner_id, meaning, body),
}

type ComputeInCase = 'computeRecollectionInstallmentPlan'

const computeRecollectionInstallmentPlan: CheckedHandler<ComputeInCase, CheckedTerms> = {
  check: async (tx, { params: { recollection_case_id: id }, body, caller: { partner_id } }) =>
    checkTerms(tx, partner_id, id ? await debtsOfCase(tx, partner_id, id) : null, body),
  handle: (tx, { body, caller, meaning }) => computePlan(tx, caller.partner_id, meaning, body),
}

type CreateInCase = 'createRecollectionInstallmentPlan'

const createPlanInCase: CheckedHandler<CreateInCase, ReferenceMatch<CheckedPlan>> = {
  check: (tx, { params: { recollection_case_id: case_id }, body, caller: { partner_id } }) => {
    const content = { case_id, body }
    const salted = { ...REFERENCED, partner_id, salt_id: body.salt_id, content }
    return findRepeat(tx, salted, async () => {
      const known = case_id ? await findCaseView(tx, partner_id, case_id) : null
      if (case_id && !known)
        throw problem('resource_unknown', 'There is no such recollection case.')
      const limits = { allowed: known ?? null, from_account: null }
      return checkPlan(tx, partner_id, readRecollectionPlan(body), limits)
    })
  },
  handle: async (tx, { params: { recollection_case_id: case_id }, body, caller, meaning }) => {
    const { partner_id } = caller
    const replayed = 'repeat' in meaning
    if (!replayed) await lockOpenCase(tx, partner_id, case_id)
    const { salt_id = null } = body
    const id = replayed
      ? meaning.repeat
      : await createPlan(tx, partner_id, meaning, { case_id, salt_id })
    const plan = await findPlanView(tx, partner_id, id)
    const recollection_case = await findCaseView(tx, partner_id, case_id)
    const answer = {
      installment_plan_id: id,
      status: plan!.status,
      recollection_case: recollection_case!,
    }
    return replayed ? new Reply(answer, REPLAYED) : answer
  },
}

const createPlanOfLoans: CheckedHandler<'createInstallmentPlan', ReferenceMatch<CheckedPlan>> = {
  check: (tx, { body, caller: { partner_id } }) => {
    const salted = { ...REFERENCED, partner_id, salt_id: body.salt_id, content: { body } }
    return findRepeat(tx, salted, () => {
      const read = readPlan(body)
      const { account, faults } = readAccount(body.from_account)
      const plan = { ...read, faults: [...read.faults, ...faults] }
      return checkPlan(tx, partner_id, plan, { allowed: null, from_account: account })
    })
  },
  handle: async (tx, { body: { salt_id = null }, caller, meaning }) => {
    const replayed = 'repeat' in meaning
    const about = { case_id: null, salt_id }
    const id = replayed ? meaning.repeat : await createPlan(tx, caller.partner_id, meaning, about)
    const view = await findPlanView(tx, caller.partner_id, id)
    return replayed ? new Reply(view!, REPLAYED) : view!
  },
}

type Account = z.output<typeof SourcedAccountCreation>

function readAccount(given: WellFormed<Account> | null | undefined) {
  const faults: InvalidParam[] = []
  if (!given?.account_number) return { account: null, faults }
  if (given.account_number_type === 'internal_id') {
    return { account: walletAccount(given.account_number), faults }
  }
  const parsed = parseIban(given.account_number)
  if (given.account_number_type !== 'iban' || !parsed.ok) {
    const reason = parsed.ok ? 'is no IBAN and no wallet' : parsed.reason
    faults.push({ name: 'from_account.account_number', reason })
    return { account: null, faults }
  }
  return { account: ibanAccount(parsed.iban, given.bank_identifier ?? null), faults }
}

const getInstallmentPlan: Handler<'getInstallmentPlan'> = async (tx, { params, caller }) => {
  const view = await findPlanView(tx, caller.partner_id, params.installment_plan_id)
  if (!view) throw problem('resource_unknown', 'There is no such installment plan.')
  return view
}

export const planHandlers = {
  computeInstallmentPlan,
  computeRecollectionInstallmentPlan,
  createRecollectionInstallmentPlan: createPlanInCase,
  createInstallmentPlan: createPlanOfLoans,
  getInstallmentPlan,
  listInstallments,
}
