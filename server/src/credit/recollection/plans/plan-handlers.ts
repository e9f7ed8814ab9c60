/** Serves the operations on plans, thin. */
import type { SourcedAccountCreation } from '@headroom/contract'
import type { z } from 'zod'
import { walletAccount } from '../../../companies/borrowers/index.ts'
import { type Handler, type Inspected, Reply } from '../../../context.ts'
import { readAs } from '../../../platform/db/transaction.ts'
import { parseIban } from '../../../platform/kit/iban.ts'
import { ibanAccount } from '../../../platform/kit/payment-account.ts'
import { faultsIn, type InvalidParam, problem } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import { lockOpenCase } from '../cases/change-case.ts'
import { findCaseView } from '../cases/queries.ts'
import { aboutCase, aboutNamed, computePlan, termsFaults } from './compute-plan.ts'
import { createPlan, planFaults } from './create-plan.ts'
import type { About } from './debts.ts'
import { listInstallments } from './list-installments.ts'
import { findPlanView } from './queries.ts'
import { readPlan, readRecollectionPlan } from './read-plan.ts'

const REPLAYED = { headers: { 'idempotent-replayed': 'true' } }

const computeInstallmentPlan: Inspected<'computeInstallmentPlan'> = {
  inspect: (context, { body, caller: { partner_id } }) =>
    readAs(context, partner_id, async tx => {
      let about: About | null = null
      const faults = await faultsIn(async () => {
        about = await aboutNamed(tx, partner_id, body)
      })
      return [...faults, ...(await termsFaults(tx, about, body))]
    }),
  handle: async (tx, { body, caller }) =>
    computePlan(tx, await aboutNamed(tx, caller.partner_id, body), body),
}

const computeRecollectionInstallmentPlan: Inspected<'computeRecollectionInstallmentPlan'> = {
  inspect: (context, { params, body, caller: { partner_id } }) =>
    readAs(context, partner_id, async tx => {
      const { recollection_case_id: id } = params
      return termsFaults(tx, id ? await aboutCase(tx, partner_id, id) : null, body)
    }),
  handle: async (tx, { params, body, caller }) =>
    computePlan(tx, await aboutCase(tx, caller.partner_id, params.recollection_case_id), body),
}

type InCase = Inspected<'createRecollectionInstallmentPlan'>

const inspectPlanInCase: InCase['inspect'] = (context, { params, body, caller: { partner_id } }) =>
  readAs(context, partner_id, async tx => {
    const { recollection_case_id: id } = params
    const allowed = id ? await aboutCase(tx, partner_id, id) : null
    const read = readRecollectionPlan(body)
    const method = body.repayment_method ?? body.payment_method
    const whole = read.wish.installments.length === (body.installments?.length ?? -1)
    return planFaults(tx, partner_id, { ...read, method, whole, allowed, from_account: null })
  })

const createPlanInCase: InCase['handle'] = async (tx, { params, body, caller }) => {
  const case_id = params.recollection_case_id
  const { wish, faults } = readRecollectionPlan(body)
  const known = await findCaseView(tx, caller.partner_id, case_id)
  if (!known) throw problem('resource_unknown', 'There is no such recollection case.')
  const { id, replayed } = await createPlan(tx, caller, {
    wish,
    faults,
    case_id,
    allowed: known,
    from_account: null,
    salt_id: body.salt_id ?? null,
    content: { case_id, body },
    check: async () => {
      await lockOpenCase(tx, caller.partner_id, case_id)
    },
  })
  const plan = await findPlanView(tx, caller.partner_id, id)
  const recollection_case = await findCaseView(tx, caller.partner_id, case_id)
  const answer = {
    installment_plan_id: id,
    status: plan!.status,
    recollection_case: recollection_case!,
  }
  return replayed ? new Reply(answer, REPLAYED) : answer
}

const inspectPlan: Inspected<'createInstallmentPlan'>['inspect'] = (context, { body, caller }) =>
  readAs(context, caller.partner_id, tx => {
    const read = readPlan(body)
    const { account, faults } = readAccount(body.from_account)
    const whole = read.wish.installments.length === (body.installments?.length ?? -1)
    return planFaults(tx, caller.partner_id, {
      wish: read.wish,
      faults: [...read.faults, ...faults],
      method: body.payment_method,
      whole,
      allowed: null,
      from_account: account,
    })
  })

const createPlanOfLoans: Handler<'createInstallmentPlan'> = async (tx, { body, caller }) => {
  const { wish, faults } = readPlan(body)
  const from = readAccount(body.from_account)
  const { id, replayed } = await createPlan(tx, caller, {
    wish,
    faults: [...faults, ...from.faults],
    case_id: null,
    allowed: null,
    from_account: from.account,
    salt_id: body.salt_id ?? null,
    content: { body },
  })
  const view = await findPlanView(tx, caller.partner_id, id)
  return replayed ? new Reply(view!, REPLAYED) : view!
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
  createRecollectionInstallmentPlan: { inspect: inspectPlanInCase, handle: createPlanInCase },
  createInstallmentPlan: { inspect: inspectPlan, handle: createPlanOfLoans },
  getInstallmentPlan,
  listInstallments,
}
