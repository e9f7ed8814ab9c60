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
 * may be executed. Banks say so in codes of the list, in their own codes, and in words of their
 * language. The search is broad: a word too many costs an alert, one too few a second payment.
 */
const DUPLICATE_CODE = /(^|[^a-z0-9])(am05|du0[1-5]|rf01)($|[^a-z0-9])/
const DUPLICATE_WORDS = [
  /dupl|doub|doppel|doppi|dubbel|dobl|twice|repeat|repet|wiederhol/,
  /unique|unico|eindeutig|uniek/,
  /already|deja|bereits|reeds|redan|\b(ya|gia|ja|schon|juz)\b/,
]

/**
 * Reasons about an order itself: its accounts, parties or mandate. They hold for each copy of a
 * file. Others can be about one copy, such as its signature, its day, or the money that is left.
 */
const ABOUT_ORDER = /^(AC0[146]|AG01|BE\d\d|RC01|MD\d\d|RR\d\d)$/

/** ISO 20022: reason not specified by the bank. */
const UNSPECIFIED = 'MS03'

/** A status as the bank reported it, of a file, a payment in it, or a transaction. */
export interface Reported {
  readonly place: number
  readonly level: 'FILE' | 'PAYMENT' | 'TRANSACTION'
  /** The block of the report that it is in or heads, from 1; 0 for the file's own status. */
  readonly block: number
  /** The payment (PmtInf) that a block is about, in capitals; null if it does not say. */
  readonly about: string | null
  readonly code: string | null
  readonly reason_code: string | null
  readonly reason_text: string | null
  /** Whether a reason says that the bank has had the file or the order before. */
  readonly says_duplicate: boolean
  readonly end_to_end_id: string | null
  /** In euro cents; null if the report does not say. */
  readonly amount: bigint | null
}

export function reportedGroup(place: number, { status, reasons }: GroupStatus): Reported {
  const of = { place, level: 'FILE', block: 0, about: null } as const
  return { ...of, code: status, ...reasonOf(reasons), ...NO_ORDER }
}

export function reportedPayment(place: number, payment: PaymentStatus): Reported {
  const { place: block, payment_information_id, status, reasons } = payment
  const about = payment_information_id?.trim().toUpperCase() || null
  const of = { place, level: 'PAYMENT', block, about } as const
  return { ...of, code: status, ...reasonOf(reasons), ...NO_ORDER }
}

export function reportedTransaction(place: number, one: TransactionStatus): Reported {
  const { payment_place: block, status, reasons, end_to_end_id, instruction_id, amount } = one
  return {
    place,
    level: 'TRANSACTION',
    block,
    about: null,
    code: status,
    ...reasonOf(reasons),
    end_to_end_id: (end_to_end_id ?? instruction_id)?.trim().toUpperCase() ?? null,
    amount: amount?.currency === 'EUR' ? amount.cents : null,
  }
}

const NO_ORDER = { end_to_end_id: null, amount: null } as const

function reasonOf(reasons: readonly StatusReason[]) {
  const lines = reasons.flatMap(reason => reason.lines)
  const codes = reasons.flatMap(reason => reason.code ?? [])
  // Banks cut texts anywhere, also within a word.
  const texts = [...codes, ...lines, lines.join(' '), lines.join('')]
  return {
    reason_code: codes[0]?.toUpperCase() ?? null,
    reason_text: lines.length > 0 ? lines.join(' ') : null,
    says_duplicate: texts.some(saysDuplicate),
  }
}

function saysDuplicate(text: string): boolean {
  // Accents can be characters of their own.
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').toLowerCase()
  return [DUPLICATE_CODE, ...DUPLICATE_WORDS].some(pattern => pattern.test(plain))
}

/** A status with what the levels above say of it. */
interface Status extends Reported {
  /** Whether it is about an order itself, and not about a copy of its file. */
  readonly is_about_order: boolean
}

/** The file that a report is about. */
export interface ReportedFile {
  /** Its message id; null if the report does not name it. Then only its transactions count. */
  readonly message_id: string | null
  /** Whether the bank may have it twice. Then it may execute the copy that it does not reject. */
  readonly is_repeated: boolean
}

export interface Judgement {
  readonly changes: readonly OrderChange[]
  /** Why a status was not applied, by its place. */
  readonly unfit: ReadonlyMap<number, string>
  readonly trigger: Trigger<'order_file'> | null
}

/**
 * Judges a report about a file with these orders. The status of a transaction counts before that of
 * its block, and that before the file's. We write one payment (PmtInf) into a file, by the file's
 * message id, but a report may have several blocks about it, or blocks about payments that are not
 * ours.
 */
export function judge(
  { message_id, is_repeated }: ReportedFile,
  orders: readonly FiledOrder[],
  statuses: readonly Reported[],
): Judgement {
  const unfit = new Map<number, string>()
  const report = readReport(message_id, statuses, unfit)
  const byId = Map.groupBy(report.transactions, one => one.end_to_end_id)
  const changes: OrderChange[] = []
  const after = orders.map(order => {
    const own = byId.get(order.end_to_end_id) ?? []
    const payee_check = own.map(one => one.code).find(isPayeeCheck) ?? null
    const answers = own.filter(one => one.code !== null && !isPayeeCheck(one.code))
    const { common } = report
    if (answers.length === 0 && common === 'contradictory') {
      for (const { place } of report.blocks) unfit.set(place, CONTRADICTORY)
    }
    const inherited = common === null || common === 'contradictory' ? [] : [common]
    let now = order
    let rejected_for: string | null = null
    for (const status of answers.length > 0 ? answers : inherited) {
      const effect = effectOn(now, status, is_repeated)
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
  const common = report.common === 'contradictory' ? null : report.common
  return { changes, unfit, trigger: triggerOf(after, common) }
}

const CONTRADICTORY =
  'the report has several statuses for the file, and does not say to which orders each applies'

interface Report {
  /** Those of blocks about our payment that have a status. */
  readonly blocks: readonly Reported[]
  /** Each with the status of its block if it has none of its own. */
  readonly transactions: readonly Status[]
  /** The status that counts for orders without their own. */
  readonly common: Status | 'contradictory' | null
}

/** Notes in `unfit` the blocks about payments that are not in the file. */
function readReport(
  file_id: string | null,
  statuses: readonly Reported[],
  unfit: Map<number, string>,
): Report {
  const ofLevel = (level: Reported['level']) => statuses.filter(one => one.level === level)
  const isAnswer = ({ code }: Reported) => code !== null && !isPayeeCheck(code)
  const all = ofLevel('PAYMENT')
  const isOurs = ({ about }: Reported) =>
    file_id === null || [null, NOT_PROVIDED, file_id].includes(about)
  for (const { place, code, about } of all.filter(one => isAnswer(one) && !isOurs(one))) {
    unfit.set(place, `${code} for the payment ${about}, which is not in the file`)
  }
  const blocks = all.filter(isOurs)
  const answers = blocks.filter(isAnswer)
  const [file] = ofLevel('FILE')
  const transactions = ofLevel('TRANSACTION').map(one => {
    const block = all.find(other => other.block === one.block)
    const code = one.code ?? (block && isOurs(block) ? block.code : null)
    const reason_code = one.reason_code ?? block?.reason_code ?? file?.reason_code ?? null
    const says_duplicate = [one, block, file].some(other => other?.says_duplicate)
    const is_above_rejected = [block, file].some(other => other?.code === 'RJCT')
    const is_about_order = !is_above_rejected && ABOUT_ORDER.test(one.reason_code ?? '')
    return { ...one, code, reason_code, says_duplicate, is_about_order }
  })
  const codes = new Set(answers.map(one => one.code))
  // Without a status, a block beside others speaks of its own transactions.
  const is_split = codes.size > 1 || (answers.length > 0 && answers.length < blocks.length)
  const head = answers[0] ?? (file && isAnswer(file) ? file : null)
  const common = head && {
    ...head,
    reason_code: [...answers, file].find(one => one?.reason_code)?.reason_code ?? null,
    // What is said of one order may be the reason for all.
    says_duplicate: statuses.some(one => one.says_duplicate),
    is_about_order: false,
  }
  if (file_id === null) return { blocks: [], transactions, common: null }
  return { blocks: answers, transactions, common: is_split ? 'contradictory' : common }
}

const NOT_PROVIDED = 'NOTPROVIDED'

function isPayeeCheck(code: string | null): boolean {
  return code !== null && PAYEE_CHECKS.includes(code)
}

interface Effect {
  readonly answer: string | null
  readonly rejected_for: string | null
  readonly unfit: string | null
}

const NOTHING: Effect = { answer: null, rejected_for: null, unfit: null }

function effectOn(order: FiledOrder, status: Status, is_repeated: boolean): Effect {
  const { code, reason_code, amount, says_duplicate, is_about_order } = status
  if (code === null || NO_ANSWER.includes(code) || isPayeeCheck(code)) return NOTHING
  if (amount !== null && amount !== order.amount) {
    return unfitFor(`${code} for ${amount} cents, but the order is for ${order.amount} cents`)
  }
  const before = RANKS[order.answer ?? ''] ?? 0
  if (code === 'RJCT') {
    if (order.is_rejected) return NOTHING
    if (order.is_settled) return unfitFor('RJCT after a statement has shown the payment')
    if (before >= EXECUTED_FROM) return unfitFor(`RJCT after ${order.answer}`)
    if (says_duplicate) {
      const reason = reason_code ?? 'without a code'
      return unfitFor(`RJCT as a duplicate (${reason}): the bank may execute the first copy`)
    }
    if (is_repeated && (!is_about_order || before >= ACCEPTED_FROM)) {
      return unfitFor('RJCT in a file that the bank may have twice: it may execute the other copy')
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
