/**
 * Serializes payment orders. Equal orders have equal texts, so a different text reveals a changed
 * order.
 */
import { canonicalJson } from '../../platform/kit/crypto.ts'
import type { PaymentOrder } from './bank.ts'

/** Writes cents as a string of digits, because JSON numbers are not exact. */
export function writeOrder(order: PaymentOrder): string {
  return canonicalJson(order)
}

export function readOrder(text: string): PaymentOrder {
  const order = JSON.parse(text) as Omit<PaymentOrder, 'amount'> & { readonly amount: string }
  return { ...order, amount: BigInt(order.amount) }
}
