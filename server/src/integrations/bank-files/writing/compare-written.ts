/** Compares a written order file with what was to be written. */
import type { BankProfile } from './bank-profile.ts'
import { openCheck } from './check-order-file.ts'
import { readOrderXml } from './check-order-xml.ts'
import { sayFaultBriefly } from './faults.ts'
import { groupsOf, type Order, type OrderFile, type Terms } from './order-file.ts'

/**
 * Reads the bytes back, and returns what is wrong with them; null if they break no rule and have
 * the same groups and orders in the same sequence. Texts are not compared: the writer converts
 * them.
 */
export function compareWritten(
  bytes: Uint8Array,
  file: OrderFile,
  profile: BankProfile,
): string | null {
  const check = openCheck(profile)
  const expected = itemsOf(file)
  let different: string | null = null
  const compare = (found: string) => {
    const next = expected.next()
    if (found !== next.value) different ??= 'it has another group or order than was to be written'
  }
  const faults = readOrderXml(bytes, profile, {
    report: check.report,
    head: head => {
      if (head.message_id !== file.message_id) different ??= 'it has another message id'
      check.head(head)
    },
    group: terms => {
      compare(itemOfTerms(terms))
      check.group(terms)
    },
    order: order => {
      compare(itemOfOrder(order))
      check.order(order)
    },
    end: () => check.end(),
  })
  const [fault] = faults
  if (fault) return sayFaultBriefly(fault)
  if (different === null && !expected.next().done) return 'it lacks groups or orders'
  return different
}

function* itemsOf(file: OrderFile): Generator<string> {
  for (const { terms, orders } of groupsOf(file)) {
    yield itemOfTerms(terms)
    for (const order of orders) yield itemOfOrder(order)
  }
}

/** What the bank acts on, as one text. */
function itemOfTerms(terms: Terms): string {
  const { kind, id, account, requested_on } = terms
  const rest =
    kind === 'TRANSFER'
      ? [terms.instant]
      : [terms.scheme, terms.sequence_type, terms.creditor_identifier]
  return JSON.stringify([kind, id, account.iban, requested_on, ...rest])
}

function itemOfOrder(order: Order): string {
  const { end_to_end_id, instruction_id, amount, counterparty, mandate } = order
  const ids = [end_to_end_id, instruction_id]
  const of_mandate = mandate ? [mandate.reference, mandate.signed_on] : []
  return JSON.stringify([...ids, String(amount), counterparty.iban, ...of_mandate])
}
