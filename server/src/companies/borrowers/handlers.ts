/** Serves the operations on borrowers and their repayment methods. */
import type { ComplianceStatus } from '@headroom/contract'
import type { Call, Handler, Inspect, Inspected, Prepared } from '../../context.ts'
import type { Company } from '../../outside/ports/registry.ts'
import { readAs, type Tx } from '../../platform/db/transaction.ts'
import { invalid, problem } from '../../platform/kit/problem.ts'
import { NOT_OWN } from './accounts.ts'
import { Faults } from './faults.ts'
import { createBorrower as create } from './joining/create-borrower.ts'
import {
  ACCOUNT_NAMES,
  inspectNewBorrower,
  type NewBorrower,
  readNewBorrower,
} from './joining/read-new-borrower.ts'
import { sign } from './joining/sign-borrower.ts'
import { inspectUpdate, updateBorrower as update } from './joining/update-borrower.ts'
import { listBorrowers as list } from './list-borrowers.ts'
import { addRepaymentMethod as add, readMethod } from './methods/add-repayment-method.ts'
import {
  listRepaymentMethods as listMethods,
  readMethodView,
} from './methods/repayment-method-queries.ts'
import { askCompliance, borrowerBefore, isPayee, prepareTerms, verifyAccount } from './outside.ts'
import { inspectOwner, createOwner as tellOwner } from './owners/create-owner.ts'
import { findBorrower, findBorrowerView } from './queries.ts'
import { readPastMoment } from './read-fields.ts'
import { setCompliance } from './standing/compliance.ts'
import { type BorrowerRow, lockBorrower } from './store.ts'
import { walletHandlers } from './wallets/wallet-handlers.ts'

interface Learnt {
  wish: NewBorrower
  company: Company
  /** The result of the check if the borrower signs at once, otherwise what is known already. */
  compliance: ComplianceStatus | null
}

const UNKNOWN = 'names no company that the register knows'

const inspectBorrower: Inspect<'createBorrower'> = async (context, { body, caller }) => {
  const { partner_id } = caller
  const clock = await readAs(context, partner_id, ({ now, today }) => ({ now, today }))
  const faults = new Faults()
  const { company, account } = inspectNewBorrower(body, clock.now, clock.today, faults)
  if (!company) return faults.found
  const known = await context.ports.registry.find({ ...company, partner_id })
  if (!known) faults.add('identifier', UNKNOWN)
  const name = body.name ?? known?.name
  if (name && !(await isPayee(context, { name }, account?.iban))) {
    faults.add(ACCOUNT_NAMES.iban, NOT_OWN)
  }
  return faults.found
}

const createBorrower: Prepared<'createBorrower', Learnt> = {
  inspect: inspectBorrower,
  prepare: async (context, { body, caller }) => {
    const clock = await readAs(context, caller.partner_id, ({ now, today }) => ({ now, today }))
    const wish = readNewBorrower(body, clock.now, clock.today)
    const { partner_id } = caller
    const { country, company_key } = wish.company
    const company = await context.ports.registry.find({ ...wish.company, partner_id })
    if (!company) throw invalid({ name: 'identifier', reason: UNKNOWN })
    const named = { partner_id, company_key, name: body.name ?? company.name }
    await verifyAccount(context, named, wish.account?.iban, ACCOUNT_NAMES.iban)
    const compliance = wish.signed_at
      ? await askCompliance(context, named)
      : await context.ports.compliance.known(named)
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
    } else if (compliance === 'REJECTED') {
      // It can still sign, but its status already says why it cannot borrow.
      await setCompliance(tx, caller_id, { borrower_id: id, partner_id }, compliance)
    }
    return viewOf(tx, partner_id, id)
  },
}

const signBorrower: Prepared<'signBorrower', ComplianceStatus> = {
  inspect: async (context, { body, caller }) => {
    const now = await readAs(context, caller.partner_id, tx => tx.now)
    const faults = new Faults()
    if (body.signed_at) readPastMoment(body.signed_at, 'signed_at', now, faults)
    return faults.found
  },
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

const updateBorrower: Prepared<'updateBorrower', boolean> = {
  inspect: inspectUpdate,
  prepare: async (context, { params, body, caller }) => {
    const borrower = await borrowerBefore(context, caller.partner_id, params.borrower_id)
    return isPayee(context, borrower, body.account_number)
  },
  handle: async (tx, { params, body, caller }, _context, own) => {
    const borrower = await lockOwn(tx, caller.partner_id, params.borrower_id)
    await update(tx, caller.caller_id, borrower, body, own)
    return viewOf(tx, caller.partner_id, borrower.id)
  },
}

const createOwner: Inspected<'createOwner'> = {
  inspect: async (context, { params, body, caller: { partner_id } }) =>
    readAs(context, partner_id, async tx => {
      const { borrower_id } = params
      const borrower = borrower_id ? await findBorrower(tx, partner_id, borrower_id) : undefined
      return inspectOwner(tx.today, borrower, body)
    }),
  handle: async (tx, { params, body, caller }) =>
    tellOwner(tx, await lockOwn(tx, caller.partner_id, params.borrower_id), body),
}

const getBorrower: Handler<'getBorrower'> = async (tx, { params, caller }) =>
  viewOf(tx, caller.partner_id, params.borrower_id)

const listBorrowers: Handler<'listBorrowers'> = async (tx, call) =>
  list(tx, call.caller.partner_id, call.path, call.query)

const listRepaymentMethods: Handler<'listRepaymentMethods'> = async (tx, call) => {
  const borrower = await findOwn(tx, call)
  return listMethods(tx, borrower, call.path, call.query)
}

const addRepaymentMethod: Prepared<'addRepaymentMethod', boolean> = {
  inspect: async (context, { params, body, caller: { partner_id } }) => {
    const { borrower_id } = params
    if (!borrower_id) return []
    const borrower = await borrowerBefore(context, partner_id, borrower_id)
    const own = await isPayee(context, borrower, body.from_account?.account_number)
    const faults = new Faults()
    await readAs(context, partner_id, tx => readMethod(tx, borrower, body, own, faults))
    return faults.found
  },
  prepare: async (context, { params, body, caller }) => {
    const borrower = await borrowerBefore(context, caller.partner_id, params.borrower_id)
    return isPayee(context, borrower, body.from_account?.account_number)
  },
  handle: async (tx, { params, body, caller }, _context, own) => {
    const borrower = await lockOwn(tx, caller.partner_id, params.borrower_id)
    return readMethodView(tx, await add(tx, caller.caller_id, borrower, body, own))
  },
}

export const borrowerHandlers = {
  ...walletHandlers,
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
