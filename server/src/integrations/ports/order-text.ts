/** The text of a payment order. Equal orders have equal texts, so a text tells a changed order. */
import { canonicalJson } from '../../platform/kit/crypto.ts'
import type { PaymentOrder } from './bank.ts'

/** Cents become decimal digits, because JSON numbers are not exact. */
export function writeOrder(order: PaymentOrder): string {
  return canonicalJson(order)
}

/** The order with that text. */
export function readOrder(text: string): PaymentOrder {
  const order = JSON.parse(text) as Omit<PaymentOrder, 'amount'> & { readonly amount: string }
  return { ...order, amount: BigInt(order.amount) }
}
