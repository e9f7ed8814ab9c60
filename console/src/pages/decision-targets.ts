/** What a planned write is about: each thing by its name and amount, as it is now. */
import type { PlannedOperation } from '@headroom/contract'
import { call } from '../kit/api.ts'
import { money, shortId, words } from '../kit/format.ts'

export interface Target {
  /** As the menu of the console calls its page, where it has one. */
  readonly kind: string
  readonly id: string
  /** Its name and amount; null where it cannot be read. */
  readonly says: string | null
  /** As the interface answers it. */
  readonly now: object
}

type Read = (id: string, partner: string) => Promise<Pick<Target, 'says' | 'now'>>

/** Lists that have no read of one thing are as long as people make them. */
const ALL = { page_size: 500 }

const loanOf: Read = async (loan_id, partner) => {
  const loan = await call('getLoan', { params: { loan_id }, partner })
  const { amount, currency, status, borrower } = loan
  const who = borrower.name ?? borrower.identifier
  return { says: `${money(amount, currency)} lent to ${who}, ${words(status)}`, now: loan }
}

const billOf: Read = async (id, partner) => {
  const { data } = await call('listBills', { query: { bill_id: [id] }, partner })
  const bill = data[0]!
  const { name, identifier } = bill.billed_business
  const open = `${money(bill.to_pay_amount, bill.currency)} for ${name ?? identifier}`
  return { says: `${bill.invoice_number ?? shortId(id)}, ${open}`, now: bill }
}

const borrowerOf: Read = async (borrower_id, partner) => {
  const borrower = await call('getBorrower', { params: { borrower_id }, partner })
  const { name, identifier, status } = borrower
  return { says: `${name ? `${name}, ` : ''}${identifier}, ${words(status)}`, now: borrower }
}

const cardOf: Read = async (card_id, partner) => {
  const card = await call('getCard', { params: { card_id }, partner })
  const { last4, borrower_name, status, balance, currency } = card
  const spent = `${money(balance.used, currency)} spent and not repaid`
  return { says: `•••• ${last4} of ${borrower_name}, ${words(status)}, ${spent}`, now: card }
}

const invoiceOf: Read = async (invoice_id, partner) => {
  const invoice = await call('getInvoice', { params: { invoice_id }, partner })
  const { invoice_number, total_amount, net_amount, currency } = invoice
  const sum = money(total_amount ?? net_amount, currency)
  return { says: `${invoice_number} of ${sum}`, now: invoice }
}

const caseOf: Read = async (recollection_case_id, partner) => {
  const params = { recollection_case_id }
  const [found, { total }] = await Promise.all([
    call('getRecollectionCase', { params, partner }),
    call('getRecollectionCaseDebts', { params, partner }),
  ])
  const { name, identifier } = found.debtor_business
  return { says: `${name ?? identifier}, ${money(total)} owed today`, now: found }
}

const keyOf: Read = async (id, partner) => {
  const { data } = await call('listKeys', { query: ALL, partner })
  const key = data.find(one => one.id === id)!
  return { says: key.name, now: key }
}

const webhookOf: Read = async (id, partner) => {
  const { data } = await call('listWebhooks', { query: ALL, partner })
  const webhook = data.find(one => one.id === id)!
  return { says: webhook.name, now: webhook }
}

const READS: Readonly<Record<string, Read>> = {
  loan: loanOf,
  bill: billOf,
  borrower: borrowerOf,
  card: cardOf,
  invoice: invoiceOf,
  case: caseOf,
  key: keyOf,
  webhook: webhookOf,
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const IN_PATH = new RegExp(`^/([a-z_-]+?)s?/(${UUID})(?:/|$)`)
const ACTION = new RegExp(`/action/(${UUID})$`)
const IN_BODY = /^(loan|bill|borrower|card|invoice)_ids?$/
const IS_ID = new RegExp(`^${UUID}$`)

/** No more of one field are looked up: the others are told by their number. */
const LOOKED_UP_MAX = 20

/** The thing that the path names; none where the step makes it. */
function named({ path }: PlannedOperation): readonly (readonly [kind: string, id: string])[] {
  const [, kind, id] = IN_PATH.exec(path) ?? []
  return kind && id ? [[kind === 'recollection-case' ? 'case' : kind, id]] : []
}

/** The fields of a body that name things by their ids, with which they name. */
export function namedIn(body: unknown): Map<string, readonly (readonly [string, string])[]> {
  const found = Object.entries(typeof body === 'object' && body !== null ? body : {}).map(
    ([field, value]) => {
      const [, kind] = IN_BODY.exec(field) ?? []
      const ids = [value].flat() as unknown[]
      const known = ids.every(id => typeof id === 'string' && IS_ID.test(id))
      const few = known && ids.length > 0 && ids.length <= LOOKED_UP_MAX
      return [field, kind && few ? ids.map(id => [kind, id as string] as const) : []] as const
    },
  )
  return new Map(found.filter(([, things]) => things.length > 0))
}

async function read(kind: string, id: string, partner: string): Promise<Target> {
  // What cannot be read is still told by its id.
  const found = await READS[kind]?.(id, partner).catch(() => null)
  return { kind, id, ...(found ?? { says: null, now: {} }) }
}

/** What a step changes. */
export interface Targets {
  /** What the path names first, then what the body names. */
  readonly targets: readonly Target[]
  /** What says the same fields as the body, as they are now. */
  readonly now: object
}

/** Reads what a step is about, in the world of its partner. */
export async function readTargets(operation: PlannedOperation, partner: string): Promise<Targets> {
  const { path, method, body } = operation
  const things = [...named(operation), ...[...namedIn(body).values()].flat()]
  const targets = await Promise.all(things.map(([kind, id]) => read(kind, id, partner)))
  if (method === 'POST') return { targets, now: {} }
  if (path === '/governance/gate') return { targets, now: await call('getGate', { partner }) }
  const now = named(operation).length > 0 ? targets[0]!.now : {}
  const [, action_id] = ACTION.exec(path) ?? []
  return { targets, now: action_id ? actionOf(now, action_id) : now }
}

type Case = Awaited<ReturnType<typeof call<'getRecollectionCase'>>>

/** One of the actions of a case. */
function actionOf(found: Partial<Case>, id: string): object {
  const { next_action, past_actions = [] } = found
  return [next_action, ...past_actions].find(action => action?.id === id) ?? {}
}
