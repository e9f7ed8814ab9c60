/** What the bank's reports (pain.002) change in a file and its orders. Pure. */
import type { Trigger } from '@headroom/contract'
import type {
  GroupStatus,
  PaymentStatus,
  StatusReason,
  TransactionStatus,
} from '../../bank-files/reading/status-report.ts'
import type { FiledOrder, OrderChange } from './store.ts'

/** How far the bank is with an order. A later report never takes it back. */
const RANKS: Readonly<Record<string, number>> = {
  RCVD: 1,
  PDNG: 1,
  ACTC: 2,
  ACCP: 3,
  ACWC: 3,
  ACSP: 4,
  ACSC: 5,
  ACCC: 6,
}
const ACCEPTED_FROM = RANKS.ACTC!
const EXECUTED_FROM = RANKS.ACSC!

/** Results of the check of the payee's name. RCVM is the sum of several. */
const PAYEE_CHECKS = ['RCVC', 'RVMC', 'RVNM', 'RVNA', 'RVNC']
const NO_ANSWER = ['PART', 'RCVM']

/**
 * The bank has the file or the order already. A repeated delivery can cause that, so the first one
 * may be executed.
 */
const DUPLICATE = ['AM05', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05']

/** ISO 20022: reason not specified by the bank. */
const UNSPECIFIED = 'MS03'

/** A status as the bank reported it, of a file, a payment in it, or a transaction. */
export interface Reported {
  readonly place: number
  readonly level: 'FILE' | 'PAYMENT' | 'TRANSACTION'
  readonly code: string | null
  readonly reason_code: string | null
  readonly reason_text: string | null
  readonly end_to_end_id: string | null
  /** In euro cents; null if the report does not say. */
  readonly amount: bigint | null
}

export function reportedGroup(place: number, { status, reasons }: GroupStatus): Reported {
  return { place, level: 'FILE', code: status, ...reasonOf(reasons), ...NO_ORDER }
}

export function reportedPayment(place: number, { status, reasons }: PaymentStatus): Reported {
  return { place, level: 'PAYMENT', code: status, ...reasonOf(reasons), ...NO_ORDER }
}

export function reportedTransaction(place: number, one: TransactionStatus): Reported {
  const { status, reasons, end_to_end_id, instruction_id, amount } = one
  return {
    place,
    level: 'TRANSACTION',
    code: status,
    ...reasonOf(reasons),
    end_to_end_id: (end_to_end_id ?? instruction_id)?.trim().toUpperCase() ?? null,
    amount: amount?.currency === 'EUR' ? amount.cents : null,
  }
}

const NO_ORDER = { end_to_end_id: null, amount: null } as const

function reasonOf(reasons: readonly StatusReason[]) {
  const lines = reasons.flatMap(reason => reason.lines)
  return {
    reason_code: reasons.find(reason => reason.code !== null)?.code ?? null,
    reason_text: lines.length > 0 ? lines.join(' ') : null,
  }
}

export interface Judgement {
  readonly changes: readonly OrderChange[]
  /** Why a status was not applied, by its place. */
  readonly unfit: ReadonlyMap<number, string>
  readonly trigger: Trigger<'order_file'> | null
}

/**
 * Judges a report about a file with these orders. The status of a transaction counts before that of
 * its payment, and that before the file's. We write one payment (PmtInf) into a file, so the status
 * of the first one counts for all orders.
 */
export function judge(orders: readonly FiledOrder[], statuses: readonly Reported[]): Judgement {
  const unfit = new Map<number, string>()
  const byId = Map.groupBy(
    statuses.filter(one => one.level === 'TRANSACTION'),
    one => one.end_to_end_id,
  )
  const common = commonStatus(statuses)
  const changes: OrderChange[] = []
  const after = orders.map(order => {
    const own = byId.get(order.end_to_end_id) ?? []
    const payee_check = own.map(one => one.code).find(isPayeeCheck) ?? null
    const answers = own.filter(one => one.code !== null && !isPayeeCheck(one.code))
    let now = order
    let rejected_for: string | null = null
    for (const status of answers.length > 0 ? answers : common ? [common] : []) {
      const effect = effectOn(now, status)
      if (effect.unfit) unfit.set(status.place, effect.unfit)
      rejected_for ??= effect.rejected_for
      now = {
        ...now,
        answer: effect.answer ?? now.answer,
        is_rejected: now.is_rejected || effect.rejected_for !== null,
      }
    }
    if (now.answer !== order.answer || payee_check !== null) {
      changes.push({ payment_id: order.payment_id, answer: now.answer, rejected_for, payee_check })
    }
    return now
  })
  return { changes, unfit, trigger: triggerOf(after, common) }
}

/** The status that counts for orders without their own: the payment's, else the file's. */
function commonStatus(statuses: readonly Reported[]): Reported | null {
  const at = (level: Reported['level']) =>
    statuses.find(one => one.level === level && one.code !== null && !isPayeeCheck(one.code))
  const [payment, file] = [at('PAYMENT'), at('FILE')]
  if (!payment) return file ?? null
  const reason_code = payment.reason_code ?? file?.reason_code ?? null
  return { ...payment, reason_code }
}

function isPayeeCheck(code: string | null): boolean {
  return code !== null && PAYEE_CHECKS.includes(code)
}

interface Effect {
  readonly answer: string | null
  readonly rejected_for: string | null
  readonly unfit: string | null
}

const NOTHING: Effect = { answer: null, rejected_for: null, unfit: null }

function effectOn(order: FiledOrder, { code, reason_code, amount }: Reported): Effect {
  if (code === null || NO_ANSWER.includes(code) || isPayeeCheck(code)) return NOTHING
  if (amount !== null && amount !== order.amount) {
    return unfitFor(`${code} for ${amount} cents, but the order is for ${order.amount} cents`)
  }
  const before = RANKS[order.answer ?? ''] ?? 0
  if (code === 'RJCT') {
    if (order.is_rejected) return NOTHING
    if (before >= EXECUTED_FROM) return unfitFor(`RJCT after ${order.answer}`)
    if (reason_code && DUPLICATE.includes(reason_code)) {
      return unfitFor(`RJCT as a duplicate (${reason_code}): the bank may execute the first copy`)
    }
    return { answer: code, rejected_for: reason_code ?? UNSPECIFIED, unfit: null }
  }
  const rank = RANKS[code]
  if (rank === undefined) return unfitFor(`${code} is not a known status`)
  if (order.is_rejected) {
    return rank < ACCEPTED_FROM ? NOTHING : unfitFor(`${code} after a rejection`)
  }
  return rank > before ? { answer: code, rejected_for: null, unfit: null } : NOTHING
}

const unfitFor = (unfit: string): Effect => ({ answer: null, rejected_for: null, unfit })

/** The step of the file after the report was applied to its orders. */
function triggerOf(
  orders: readonly { readonly answer: string | null; readonly is_rejected: boolean }[],
  common: Reported | null,
): Trigger<'order_file'> | null {
  const rejected = orders.filter(order => order.is_rejected).length
  if (rejected === orders.length) return 'reject'
  if (rejected > 0 || common?.code === 'PART') return 'accept_partly'
  const isAccepted = (code: string | null) => (RANKS[code ?? ''] ?? 0) >= ACCEPTED_FROM
  if (isAccepted(common?.code ?? null)) return 'accept'
  return orders.every(order => isAccepted(order.answer)) ? 'accept' : null
}
