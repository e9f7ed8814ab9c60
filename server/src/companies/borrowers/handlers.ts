/** Handlers of the operations on borrowers and their repayment methods. */
import type { ComplianceStatus } from '@headroom/contract'
import type { Call, CheckedHandler, Context, Handler, PreparedHandler } from '../../context.ts'
import type { Caller } from '../../platform/access/index.ts'
import { readForPartner, type Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import { problem } from '../../platform/kit/problem.ts'
import { findCompany } from '../registry/index.ts'
import { NOT_OWNED } from './accounts.ts'
import { awaitedCompany } from './awaited-company.ts'
import {
  checkCompliance,
  isPayee,
  prepareTerms,
  readBorrowerOutsideTransaction,
} from './external-checks.ts'
import { FaultCollector } from './faults.ts'
import { listBorrowers as list } from './list-borrowers.ts'
import { createOwner as createOwnerOf, ownerFaults } from './owners/create-owner.ts'
import { findBorrower, findBorrowerView } from './queries.ts'
import { readPastMoment } from './read-fields.ts'
import { createBorrower as create } from './registration/create-borrower.ts'
import {
  ACCOUNT_NAMES,
  type NewBorrower,
  readNewBorrower,
} from './registration/read-new-borrower.ts'
import { type SignatureInput, signTerms } from './registration/sign-borrower.ts'
import {
  type BorrowerChange,
  checkUpdate,
  updateBorrower as update,
} from './registration/update-borrower.ts'
import {
  addRepaymentMethod as add,
  checkMethod,
  type NewMethod,
} from './repayment-methods/add-repayment-method.ts'
import {
  listRepaymentMethods as listMethods,
  readMethodView,
} from './repayment-methods/repayment-method-queries.ts'
import { setCompliance } from './restrictions/compliance.ts'
import { type BorrowerRow, lockBorrower } from './store.ts'
import { walletHandlers } from './wallets/wallet-handlers.ts'

type KnownCompliance = ComplianceStatus | null

const createBorrower = {
  read: async (context, { body, caller: { partner_id } }) => {
    const clock = await readForPartner(context, partner_id, ({ now, today }) => ({ now, today }))
    const faults = new FaultCollector()
    const input = readNewBorrower(body, clock.now, clock.today, faults)
    const { company } = input
    if (!company) return { faults: faults.found, meaning: null }
    const found = await findCompany(context, { ...company, partner_id })
    if (found.result === 'unknown') {
      faults.add('identifier', 'names no company that the register knows')
    }
    const registered = found.result === 'found' ? found.company : awaitedCompany(company)
    const name = body.name ?? registered.name
    if (name && !(await isPayee(context, { name }, input.account?.iban))) {
      faults.add(ACCOUNT_NAMES.iban, NOT_OWNED)
    }
    return { faults: faults.found, meaning: { ...input, company, registered } }
  },
  // Checks the compliance of a borrower that signs on creation; otherwise reads a known result.
  prepare: async (context, { body, caller: { partner_id }, meaning }) => {
    const { company, registered, signed_at } = meaning
    const { country, company_key } = company
    const name = body.name ?? registered.name ?? company.identifier
    const named = { partner_id, company_key, name }
    const compliance = signed_at
      ? await checkCompliance(context, named)
      : await context.ports.compliance.known(named)
    await prepareTerms(context, country)
    return compliance
  },
  // `wait_for_ready` has no effect: the response already reflects every step towards READY that
  // needs no external party.
  handle: async (tx, { body, caller, meaning }, context, compliance) => {
    const { partner_id, version } = caller
    const { signed_at } = meaning
    const id = await create(tx, partner_id, body, meaning)
    if (signed_at && compliance) {
      const borrower = await lockOwn(tx, partner_id, id)
      await sign(tx, context, borrower, { signed_at, compliance, version })
    } else if (compliance === 'REJECTED') {
      // The borrower can still sign, but its status reason already shows why it cannot borrow.
      await setCompliance(tx, { borrower_id: id, partner_id }, compliance)
    }
    return viewOf(tx, partner_id, id)
  },
} satisfies PreparedHandler<'createBorrower', KnownCompliance, NewBorrower>

const signBorrower: PreparedHandler<'signBorrower', ComplianceStatus, Date> = {
  check: (tx, { body: { signed_at } }) => {
    const faults = new FaultCollector()
    const meaning = signed_at ? readPastMoment(signed_at, 'signed_at', tx.now, faults) : null
    return { faults: faults.found, meaning }
  },
  prepare: async (context, { params, caller }) => {
    const borrower = await readBorrowerOutsideTransaction(
      context,
      caller.partner_id,
      params.borrower_id,
    )
    // A borrower signs once, so its compliance is not checked again.
    if (borrower.signed_at) return 'UNKNOWN'
    await prepareTerms(context, borrower.country)
    return checkCompliance(context, borrower)
  },
  handle: async (tx, { params, caller, meaning: signed_at }, context, compliance) => {
    const { partner_id, version } = caller
    const borrower = await lockOwn(tx, partner_id, params.borrower_id)
    await sign(tx, context, borrower, { signed_at, compliance, version })
    return viewOf(tx, partner_id, borrower.id)
  },
}

/**
 * Asks the bank whether the account may be the borrower's: `meaning` is false only if the bank
 * reports another holder.
 */
async function isOwnAccount(
  context: Context,
  { partner_id }: Caller,
  borrower_id: string | undefined,
  account_number: string | null | undefined,
) {
  if (!borrower_id) return { faults: [] }
  const borrower = await readBorrowerOutsideTransaction(context, partner_id, borrower_id)
  return { faults: [], meaning: await isPayee(context, borrower, account_number) }
}

const updateBorrower: PreparedHandler<'updateBorrower', undefined, BorrowerChange, boolean> = {
  read: (context, { params, body, caller }) =>
    isOwnAccount(context, caller, params.borrower_id, body.account_number),
  check: async (tx, { params: { borrower_id }, body, caller }, own) => {
    const borrower = borrower_id && (await lockBorrower(tx, caller.partner_id, borrower_id))
    return checkUpdate(tx, borrower || undefined, body, own ?? true)
  },
  handle: async (tx, { params, caller, meaning }) => {
    await update(tx, meaning)
    return viewOf(tx, caller.partner_id, params.borrower_id)
  },
}

const createOwner: CheckedHandler<'createOwner', BorrowerRow> = {
  check: async (tx, { params: { borrower_id }, body, caller }) => {
    const borrower = borrower_id && (await lockBorrower(tx, caller.partner_id, borrower_id))
    const faults = ownerFaults(tx.today, borrower || undefined, body)
    return { faults, meaning: borrower || null }
  },
  handle: (tx, { body, meaning: borrower }) => createOwnerOf(tx, borrower, body),
}

const getBorrower: Handler<'getBorrower'> = async (tx, { params, caller }) =>
  viewOf(tx, caller.partner_id, params.borrower_id)

const listBorrowers: Handler<'listBorrowers'> = async (tx, call) =>
  list(tx, call.caller.partner_id, call.path, call.query)

const listRepaymentMethods: Handler<'listRepaymentMethods'> = async (tx, call) => {
  const borrower = await findOwn(tx, call)
  return listMethods(tx, borrower, call.path, call.query)
}

const addRepaymentMethod = {
  read: (context, { params, body, caller }) =>
    isOwnAccount(context, caller, params.borrower_id, body.from_account?.account_number),
  check: async (tx, { params: { borrower_id }, body, caller }, own) => {
    const borrower = borrower_id && (await lockBorrower(tx, caller.partner_id, borrower_id))
    if (!borrower) return { faults: [], meaning: null }
    return checkMethod(tx, borrower, body, own ?? true)
  },
  handle: async (tx, { body, caller, meaning }) => {
    const id = await add(tx, meaning, body)
    return readMethodView(tx, { partner_id: caller.partner_id, id })
  },
} satisfies PreparedHandler<'addRepaymentMethod', undefined, NewMethod, boolean>

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

/** Also has the company's file applied, which may have changed since the KYB check. */
async function sign(
  tx: Tx,
  { ports }: Context,
  borrower: BorrowerRow,
  signature: SignatureInput,
): Promise<void> {
  await signTerms(tx, borrower, signature)
  if (!ports.compliance.is_decided_in_files) return
  const { partner_id, id: borrower_id } = borrower
  enqueue(tx, 'apply_company_file', { partner_id, borrower_id }, partner_id)
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
