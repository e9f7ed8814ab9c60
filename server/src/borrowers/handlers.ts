/** Serves the operations on borrowers and their repayment methods. */
import { type ComplianceStatus, CreateBorrowerBody } from '@headroom/contract'
import type { Call, Handler, Inspect, Prepared } from '../context.ts'
import type { Tx } from '../db/transaction.ts'
import { invalid, ProblemError, problem } from '../kit/problem.ts'
import { wellFormed } from '../kit/well-formed.ts'
import type { Company } from '../ports/registry.ts'
import { addRepaymentMethod as add } from './add-repayment-method.ts'
import { createBorrower as create } from './create-borrower.ts'
import { createOwner as tellOwner } from './create-owner.ts'
import { Faults } from './faults.ts'
import { inspectRepaymentMethod } from './inspect-repayment-method.ts'
import { listBorrowers as list } from './list-borrowers.ts'
import { askCompliance, borrowerBefore, prepareTerms, readAs, verifyAccount } from './outside.ts'
import { findBorrower, findBorrowerView } from './queries.ts'
import { readPastMoment } from './read-fields.ts'
import { ACCOUNT_NAMES, type NewBorrower, readNewBorrower } from './read-new-borrower.ts'
import { listRepaymentMethods as listMethods, readMethodView } from './repayment-method-queries.ts'
import { sign } from './sign-borrower.ts'
import { type BorrowerRow, lockBorrower } from './store.ts'
import { updateBorrower as update } from './update-borrower.ts'

interface Learnt {
  wish: NewBorrower
  company: Company
  /** Asked only of a borrower that signs at once. */
  compliance: ComplianceStatus | null
}

/** What is wrong beside what the schema says, as far as its fields are well-formed. */
const inspectBorrower: Inspect = async (context, { partner_id }, body) => {
  const fields = wellFormed(CreateBorrowerBody.shape, body)
  const told = fields.identifier !== undefined
  const clock = await readAs(context, partner_id, async ({ now, today }) => ({ now, today }))
  try {
    const known = { directors: [], ...fields, identifier: fields.identifier ?? '' }
    readNewBorrower(known as unknown as CreateBorrowerBody, clock.now, clock.today)
    return []
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const faults = error.extras.invalid_params ?? []
    return faults.filter(fault => told || fault.name !== 'identifier')
  }
}

const createBorrower: Prepared<'createBorrower', Learnt> = {
  inspect: inspectBorrower,
  prepare: async (context, { body, caller }) => {
    const clock = await readAs(context, caller.partner_id, async ({ now, today }) => ({
      now,
      today,
    }))
    const wish = readNewBorrower(body, clock.now, clock.today)
    const { identifier, identifier_type, country, company_key } = wish.company
    const company = await context.ports.registry.find(identifier, identifier_type, country)
    if (!company) {
      throw invalid({ name: 'identifier', reason: 'names no company that the register knows' })
    }
    const { partner_id } = caller
    const named = { partner_id, company_key, name: body.name ?? company.name }
    await verifyAccount(context, named, wish.account?.iban, ACCOUNT_NAMES.iban)
    const compliance = wish.signed_at ? await askCompliance(context, named) : null
    await prepareTerms(context, country)
    return { wish, company, compliance }
  },
  // Whatever can make it READY happens before the answer, so `wait_for_ready` has nothing to
  // wait for: what is missing then, only somebody else can bring.
  handle: async (tx, { caller }, _context, { wish, company, compliance }) => {
    const { partner_id, caller_id, version } = caller
    const id = await create(tx, caller_id, partner_id, wish, company)
    if (wish.signed_at && compliance) {
      const borrower = await lockOwn(tx, partner_id, id)
      await sign(tx, caller_id, borrower, { signed_at: wish.signed_at, compliance, version })
    }
    return viewOf(tx, partner_id, id)
  },
}

const signBorrower: Prepared<'signBorrower', ComplianceStatus> = {
  prepare: async (context, { params, caller }) => {
    const borrower = await borrowerBefore(context, caller.partner_id, params.borrower_id)
    // A repeat changes nothing, so nobody is asked again.
    if (borrower.signed_at) return 'UNKNOWN'
    await prepareTerms(context, borrower.country)
    return askCompliance(context, borrower)
  },
  handle: async (tx, { params, body, caller }, _context, compliance) => {
    const { partner_id, caller_id, version } = caller
    const borrower = await lockOwn(tx, partner_id, params.borrower_id)
    const faults = new Faults()
    const signed_at = readPastMoment(body.signed_at, 'signed_at', tx.now, faults)
    faults.throwAny()
    await sign(tx, caller_id, borrower, { signed_at: signed_at!, compliance, version })
    return viewOf(tx, partner_id, borrower.id)
  },
}

const updateBorrower: Prepared<'updateBorrower', void> = {
  prepare: async (context, { params, body, caller }) => {
    const borrower = await borrowerBefore(context, caller.partner_id, params.borrower_id)
    await verifyAccount(context, borrower, body.account_number, ACCOUNT_NAMES.iban)
  },
  handle: async (tx, { params, body, caller }) => {
    const borrower = await lockOwn(tx, caller.partner_id, params.borrower_id)
    await update(tx, caller.caller_id, borrower, body)
    return viewOf(tx, caller.partner_id, borrower.id)
  },
}

const createOwner: Handler<'createOwner'> = async (tx, { params, body, caller }) =>
  tellOwner(tx, await lockOwn(tx, caller.partner_id, params.borrower_id), body)

const getBorrower: Handler<'getBorrower'> = async (tx, { params, caller }) =>
  viewOf(tx, caller.partner_id, params.borrower_id)

const listBorrowers: Handler<'listBorrowers'> = async (tx, call) =>
  list(tx, call.caller.partner_id, call.path, call.query)

const listRepaymentMethods: Handler<'listRepaymentMethods'> = async (tx, call) => {
  const borrower = await findOwn(tx, call)
  return listMethods(tx, borrower, call.path, call.query)
}

const addRepaymentMethod: Prepared<'addRepaymentMethod', void> = {
  inspect: inspectRepaymentMethod,
  prepare: async (context, { params, body, caller }) => {
    const borrower = await borrowerBefore(context, caller.partner_id, params.borrower_id)
    const iban = body.from_account?.account_number
    await verifyAccount(context, borrower, iban, 'from_account.account_number')
  },
  handle: async (tx, { params, body, caller }) => {
    const borrower = await lockOwn(tx, caller.partner_id, params.borrower_id)
    return readMethodView(tx, await add(tx, caller.caller_id, borrower, body))
  },
}

export const borrowerHandlers = {
  createBorrower,
  listBorrowers,
  getBorrower,
  updateBorrower,
  createOwner,
  signBorrower,
  listRepaymentMethods,
  addRepaymentMethod,
}

async function lockOwn(tx: Tx, partner_id: string, id: string): Promise<BorrowerRow> {
  const borrower = await lockBorrower(tx, partner_id, id)
  if (!borrower) throw problem('resource_unknown')
  return borrower
}

async function findOwn(
  tx: Tx,
  { params, caller }: Call<'listRepaymentMethods'>,
): Promise<BorrowerRow> {
  const borrower = await findBorrower(tx, caller.partner_id, params.borrower_id)
  if (!borrower) throw problem('resource_unknown')
  return borrower
}

async function viewOf(tx: Tx, partner_id: string, id: string) {
  const view = await findBorrowerView(tx, partner_id, id)
  if (!view) throw problem('resource_unknown')
  return view
}
