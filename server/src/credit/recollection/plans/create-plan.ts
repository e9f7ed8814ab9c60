/** Creates a plan as a DRAFT; a job then puts it in the place of what was planned before. */
import { sql } from 'kysely'
import { birth, recordBirths } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import type { PaymentAccount } from '../../../platform/kit/payment-account.ts'
import { type InvalidParam, invalid } from '../../../platform/kit/problem.ts'
import { rfReference } from '../../../platform/kit/reference.ts'
import { lockLoanMoney } from '../../loans/index.ts'
import { findOwed, type Requester } from '../cases/open-case.ts'
import { findRepeat, requestHash } from '../salts.ts'
import {
  type Debtor,
  debtorOf,
  firstDay,
  type Method,
  methodFaults,
  someDebtor,
} from './compute-plan.ts'
import { type About, readDebts } from './debts.ts'
import { amountFaults, dayFaults, type Wish } from './read-plan.ts'
import { insertPlan, type NewPlan } from './store.ts'

/** Days after which an unpaid installment breaks a plan, where no product says. */
const GRACE_DAYS_DEFAULT = 4

export interface Asked {
  readonly wish: Wish
  /** Faults that reading found. */
  readonly faults: readonly InvalidParam[]
  readonly case_id: string | null
  /** What a plan may be about; null when it may be about all of the partner's. */
  readonly allowed: About | null
  readonly from_account: PaymentAccount | null
  readonly salt_id: string | null
  /** Run under the locks, when this is no repeat: throws what stands in the way. */
  readonly check?: () => Promise<void>
  /** What was asked for, to tell a repeat from another request. */
  readonly content: unknown
}

/**
 * Writes a plan and the job that begins it, or finds the one that the salt has made before.
 * Throws `request_invalid` with every fault, `duplicate_request`.
 */
export async function createPlan(
  tx: Tx,
  requester: Requester,
  asked: Asked,
): Promise<{ id: string; replayed: boolean }> {
  const { partner_id } = requester
  const { salt_id, wish } = asked
  const hash = requestHash(asked.content)
  const repeat = await findRepeat(tx, 'installment_plans', partner_id, { salt_id, hash })
  if (repeat) return { id: repeat, replayed: true }
  const about = aboutOf(wish)
  const faults = [...asked.faults, ...(await namedFaults(tx, partner_id, about, asked.allowed))]
  if (faults.length > 0) throw invalid(faults)
  await lockLoanMoney(tx, about.loan_ids)
  await asked.check?.()
  const debtor = await debtorOf(tx, about)
  const wrong = methodFaults(wish.method, debtor)
  if (wrong.length > 0) throw invalid(wrong)
  const method = wish.method as Method
  const later = [
    ...accountFaults(asked.from_account, method, debtor),
    ...dayFaults(wish.installments, firstDay(tx, method)),
    ...amountFaults(wish.installments, await readDebts(tx, about)),
  ]
  if (later.length > 0) throw invalid(later)
  const id = await writePlan(tx, requester, asked, { borrower_id: debtor.borrower_id, hash, about })
  enqueue(tx, 'start_installment_plan', { plan_id: id })
  return { id, replayed: false }
}

/**
 * Everything wrong with a plan of which parts may be missing; `method` is undefined where it was
 * not told. Amounts are only held against the debts when all `installments` are there.
 */
export async function planFaults(
  tx: Tx,
  partner_id: string,
  plan: Pick<Asked, 'wish' | 'faults' | 'allowed' | 'from_account'> & {
    readonly method: string | undefined
    readonly whole: boolean
  },
): Promise<InvalidParam[]> {
  const { wish, method, allowed, from_account } = plan
  const about = aboutOf(wish)
  const unknown = plan.whole ? await namedFaults(tx, partner_id, about, allowed) : []
  const faults = [...plan.faults, ...unknown]
  faults.push(...dayFaults(wish.installments, method ? firstDay(tx, method as Method) : tx.today))
  const debtor = await someDebtor(tx, about)
  if (!debtor) return faults
  if (method) faults.push(...methodFaults(method, debtor))
  if (method) faults.push(...accountFaults(from_account, method as Method, debtor))
  if (!plan.whole || unknown.length > 0) return faults
  return [...faults, ...amountFaults(wish.installments, await readDebts(tx, about))]
}

function aboutOf({ installments }: Wish): About {
  const ids = (kind: string) => [
    ...new Set(installments.flatMap(one => one.parts.filter(p => p.kind === kind).map(p => p.id!))),
  ]
  return { loan_ids: ids('LOAN'), bill_ids: ids('BILL') }
}

/** What is named and is not the partner's, not of the case, or not owed. */
async function namedFaults(
  tx: Tx,
  partner_id: string,
  about: About,
  allowed: About | null,
): Promise<InvalidParam[]> {
  const { loans, bills } = await findOwed(tx, partner_id, about)
  const open = ['TO_REPAY', 'TO_REPAY_FEES', 'TO_PAY']
  const faultOf = (
    what: string,
    id: string,
    status: string | undefined,
    ids?: readonly string[],
  ) =>
    !status || (ids && !ids.includes(id))
      ? [`${what} ${id} is none of ${ids ? 'the case' : 'yours'}`]
      : open.includes(status)
        ? []
        : [`${what} ${id} is ${status}: nothing to plan`]
  const reasons = [
    ...about.loan_ids.flatMap(id =>
      faultOf('loan', id, loans.find(l => l.id === id)?.status, allowed?.loan_ids),
    ),
    ...about.bill_ids.flatMap(id =>
      faultOf('bill', id, bills.find(b => b.id === id)?.status, allowed?.bill_ids),
    ),
  ]
  if (about.loan_ids.length + about.bill_ids.length === 0) reasons.push('repay nothing but fees')
  return reasons.map(reason => ({ name: 'installments', reason }))
}

/** An account to debit is that of the main mandate, or the wallet. */
function accountFaults(
  account: PaymentAccount | null,
  method: Method,
  { main_iban, wallet_number }: Debtor,
): InvalidParam[] {
  if (!account || method === 'SCT') return []
  const [debited, called] =
    method === 'P2P'
      ? [wallet_number, 'wallet that is debited']
      : [main_iban, 'main repayment account']
  if (account.account_number === debited) return []
  return [{ name: 'from_account', reason: `is not the ${called}` }]
}

async function writePlan(
  tx: Tx,
  { partner_id, caller_id }: Requester,
  { wish, case_id, from_account, salt_id }: Asked,
  { borrower_id, hash, about }: { borrower_id: string; hash: string; about: About },
): Promise<string> {
  const [plan, installment] = [birth('installment_plan', []), birth('installment', [])]
  const id = tx.newId()
  const rows = wish.installments.map(one => ({ one, id: tx.newId() }))
  const written: NewPlan = {
    plan: {
      id,
      partner_id,
      borrower_id,
      case_id,
      caller_id,
      salt_id,
      request_hash: hash,
      status: plan.status,
      repayment_method: wish.method,
      is_contractual: wish.is_contractual,
      grace_days: await graceDays(tx, about),
      from_account: from_account as never,
      reference: rfReference(id),
      created_at: tx.now,
    },
    installments: rows.map(({ one, id: own }, position) => ({
      id: own,
      partner_id,
      plan_id: id,
      position: position + 1,
      due_on: one.due_on,
      status: installment.status,
      partner_reference: one.partner_reference,
      reference: rfReference(own),
      updated_at: tx.now,
    })),
    parts: rows.flatMap(({ one, id: installment_id }) =>
      one.parts.map(({ kind, id: of, amount }) => ({
        id: tx.newId(),
        partner_id,
        installment_id,
        kind,
        amount,
        due: amount,
        loan_id: kind === 'LOAN' ? of : null,
        bill_id: kind === 'BILL' ? of : null,
      })),
    ),
  }
  await insertPlan(tx, written)
  recordBirths(tx, caller_id, [{ id, partner_id, birth: plan }])
  recordBirths(
    tx,
    caller_id,
    rows.map(row => ({ id: row.id, partner_id, birth: installment })),
  )
  return id
}

/** The shortest grace of the products that the plan's loans are of. */
async function graceDays(tx: Tx, { loan_ids }: About): Promise<number> {
  const { days } = await tx.one(sql<{ days: number | null }>`
    select min(p.late_grace_days) as days from loans l join products p on p.id = l.product_id
    where l.id = any(${loan_ids}::uuid[])`)
  return days ?? GRACE_DAYS_DEFAULT
}
