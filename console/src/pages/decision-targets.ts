/** The resources that a planned write concerns, each described by its current state. */
import type { PlannedOperation } from '@headroom/contract'
import { call } from '../kit/api.ts'
import { money, shortId, words } from '../kit/format.ts'

export interface Target {
  /** `loan`, `bill` and so on: the name of the resource's page in the console, if it has one. */
  readonly kind: string
  readonly id: string
  /** The resource in a few words; null if it cannot be read. */
  readonly info: string | null
  /** The resource as the API returns it. */
  readonly now: object
}

type Read = (id: string, partner: string) => Promise<Pick<Target, 'info' | 'now'>>

/** The query of a list whose resources cannot be read one by one. */
const ALL = { page_size: 500 }

const loanOf: Read = async (loan_id, partner) => {
  const loan = await call('getLoan', { params: { loan_id }, partner })
  const { amount, currency, status, borrower } = loan
  const who = borrower.name ?? borrower.identifier
  return { info: `${money(amount, currency)} lent to ${who}, ${words(status)}`, now: loan }
}

const billOf: Read = async (id, partner) => {
  const { data } = await call('listBills', { query: { bill_id: [id] }, partner })
  const bill = data[0]!
  const { name, identifier } = bill.billed_business
  const open = `${money(bill.to_pay_amount, bill.currency)} for ${name ?? identifier}`
  return { info: `${bill.invoice_number ?? shortId(id)}, ${open}`, now: bill }
}

const borrowerOf: Read = async (borrower_id, partner) => {
  const borrower = await call('getBorrower', { params: { borrower_id }, partner })
  const { name, identifier, status } = borrower
  return { info: `${name ? `${name}, ` : ''}${identifier}, ${words(status)}`, now: borrower }
}

const cardOf: Read = async (card_id, partner) => {
  const card = await call('getCard', { params: { card_id }, partner })
  const { last4, borrower_name, status, balance, currency } = card
  const spent = `${money(balance.used, currency)} spent and not repaid`
  return { info: `•••• ${last4} of ${borrower_name}, ${words(status)}, ${spent}`, now: card }
}

const invoiceOf: Read = async (invoice_id, partner) => {
  const invoice = await call('getInvoice', { params: { invoice_id }, partner })
  const { invoice_number, total_amount, net_amount, currency } = invoice
  const sum = money(total_amount ?? net_amount, currency)
  return { info: `${invoice_number} of ${sum}`, now: invoice }
}

const caseOf: Read = async (recollection_case_id, partner) => {
  const params = { recollection_case_id }
  const [found, { total }] = await Promise.all([
    call('getRecollectionCase', { params, partner }),
    call('getRecollectionCaseDebts', { params, partner }),
  ])
  const { name, identifier } = found.debtor_business
  return { info: `${name ?? identifier}, ${money(total)} owed today`, now: found }
}

const keyOf: Read = async (id, partner) => {
  const { data } = await call('listKeys', { query: ALL, partner })
  const key = data.find(one => one.id === id)!
  return { info: key.name, now: key }
}

const webhookOf: Read = async (id, partner) => {
  const { data } = await call('listWebhooks', { query: ALL, partner })
  const webhook = data.find(one => one.id === id)!
  return { info: webhook.name, now: webhook }
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

/** The most ids to look up per field. A longer list is shown as plain ids. */
const LOOKED_UP_MAX = 20

/** The resource whose id is in the path, if any. */
function named({ path }: PlannedOperation): readonly (readonly [kind: string, id: string])[] {
  const [, kind, id] = IN_PATH.exec(path) ?? []
  return kind && id ? [[kind === 'recollection-case' ? 'case' : kind, id]] : []
}

/** The kind and id of each resource whose id is in the body, by the field of the body. */
export function idsInBody(body: unknown): Map<string, readonly (readonly [string, string])[]> {
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
  // A resource that cannot be read is still listed with its id.
  const found = await READS[kind]?.(id, partner).catch(() => null)
  return { kind, id, ...(found ?? { info: null, now: {} }) }
}

export interface Targets {
  /** The resource in the path first, then those in the body. */
  readonly targets: readonly Target[]
  /** The current state of what the body changes; empty for a POST. */
  readonly now: object
}

export async function readTargets(operation: PlannedOperation, partner: string): Promise<Targets> {
  const { path, method, body } = operation
  const things = [...named(operation), ...[...idsInBody(body).values()].flat()]
  const targets = await Promise.all(things.map(([kind, id]) => read(kind, id, partner)))
  if (method === 'POST') return { targets, now: {} }
  if (path === '/governance/gate') return { targets, now: await call('getGate', { partner }) }
  const now = named(operation).length > 0 ? targets[0]!.now : {}
  const [, action_id] = ACTION.exec(path) ?? []
  return { targets, now: action_id ? actionOf(now, action_id) : now }
}

type Case = Awaited<ReturnType<typeof call<'getRecollectionCase'>>>

function actionOf(found: Partial<Case>, id: string): object {
  const { next_action, past_actions = [] } = found
  return [next_action, ...past_actions].find(action => action?.id === id) ?? {}
}
