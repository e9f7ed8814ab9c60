/** Checks a file of payment orders against SEPA's rules and the bank's profile. */
import { assert } from '../../../platform/kit/assert.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { BankProfile } from './bank-profile.ts'
import { collectFaults, type Fault, type Place, type Report } from './faults.ts'
import {
  type FileHead,
  groupsOf,
  type Order,
  type OrderFile,
  type Scheme,
  type Terms,
} from './order-file.ts'
import { checkHead, checkOrderUnder, checkTerms, dayOf } from './sepa-rules.ts'

/** Takes a file in parts, so that its orders need not be held. */
export interface FileCheck {
  head(head: FileHead): void
  /** The orders that follow belong to it. */
  group(terms: Terms): void
  order(order: Order): void
  /** Reports what only the XML shows, in the file, the current group or the current order. */
  readonly report: { readonly file: Report; readonly group: Report; readonly order: Report }
  end(): readonly Fault[]
}

/** All faults of the file; none if the bank can execute it. */
export function checkOrderFile(file: OrderFile, profile: BankProfile): readonly Fault[] {
  const check = openCheck(profile)
  check.head(file)
  for (const { terms, orders } of groupsOf(file)) {
    check.group(terms)
    for (const order of orders) check.order(order)
  }
  return check.end()
}

/**
 * The faults of one order in a group with these terms, whatever other orders are with it. Its
 * mandate must be signed by `today`; whether its day can still be kept depends on when the file is
 * made, and is not checked.
 */
export function checkOrder(
  order: Order,
  terms: Terms,
  today: Day,
  profile: BankProfile,
): readonly Fault[] {
  const faults = collectFaults()
  const report = faults.at({ ...WHOLE_FILE, end_to_end_id: order.end_to_end_id })
  checkTerms(terms, null, profile, report)
  checkOrderUnder(terms, order, today, profile, report)
  return faults.list
}

interface State {
  place: Place
  made_on: Day | null
  terms: Terms | null
  scheme: Scheme | null
  groups: number
  orders: number
  orders_of_group: number
  /** Each id with its field. */
  readonly ids: Set<string>
}

const WHOLE_FILE: Place = { group: null, order: null, end_to_end_id: null }

export function openCheck(profile: BankProfile): FileCheck {
  const faults = collectFaults()
  const state: State = {
    place: WHOLE_FILE,
    made_on: null,
    terms: null,
    scheme: null,
    groups: 0,
    orders: 0,
    orders_of_group: 0,
    ids: new Set(),
  }
  const inFile = faults.at(WHOLE_FILE)
  const inOrder: Report = (...fault) => faults.at(state.place)(...fault)
  const inGroup: Report = (...fault) => faults.at({ ...WHOLE_FILE, group: state.groups })(...fault)
  const endGroup = () => {
    if (state.groups === 0 || state.orders_of_group > 0) return
    inGroup('orders', 'orders_min', 'the group has no orders')
  }
  const once = (field: string, id: string, report: Report) => {
    const key = `${field} ${id}`
    if (state.ids.has(key)) report(field, 'id_unique', `${id} appears twice in the file`)
    state.ids.add(key)
  }
  return {
    report: { file: inFile, group: inGroup, order: inOrder },
    head: head => {
      state.made_on = dayOf(head)
      checkHead(head, profile, inFile)
    },
    group: terms => {
      endGroup()
      state.groups++
      state.orders_of_group = 0
      state.terms = terms
      state.place = { group: state.groups, order: null, end_to_end_id: null }
      once('id', terms.id, inGroup)
      checkTerms(terms, state.made_on, profile, inGroup)
      if (terms.kind === 'TRANSFER') return
      state.scheme ??= terms.scheme
      if (terms.scheme === state.scheme) return
      inGroup('scheme', 'scheme', `a file of ${state.scheme} debits has ${terms.scheme} debits`)
    },
    order: order => {
      state.orders++
      const { end_to_end_id } = order
      state.place = { group: state.groups, order: ++state.orders_of_group, end_to_end_id }
      once('end_to_end_id', end_to_end_id, inOrder)
      once('instruction_id', order.instruction_id, inOrder)
      assert(state.terms, 'an order belongs to a group')
      checkOrderUnder(state.terms, order, state.made_on, profile, inOrder)
    },
    end: () => {
      endGroup()
      if (state.groups === 0) inFile('groups', 'orders_min', 'the file has no groups')
      if (state.orders > profile.orders_max) {
        const detail = `the bank takes ${profile.orders_max} orders a file, not ${state.orders}`
        inFile('groups', 'orders_max', detail)
      }
      return faults.list
    },
  }
}
