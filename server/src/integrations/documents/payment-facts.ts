/** Payment details as labels and values, worded the same in contracts and bills. */
import { formatDay } from '../../platform/kit/dates.ts'
import { formatIban } from './format.ts'
import { COMMON } from './texts/common.ts'
import type { Language, Lender, PaymentRoute } from './types.ts'

/**
 * How an amount is paid. With `amount`, the facts include the amount and the day of a debit, which
 * makes them the pre-notification of a direct debit.
 */
export function paymentFacts(
  route: PaymentRoute,
  amount: string | null,
  lender: Lender,
  language: Language,
): [string, string][] {
  const t = COMMON[language]
  const sum: [string, string][] = amount === null ? [] : [[t.amount, amount]]
  const debit: [string, string][] =
    amount === null || route.method === 'SCT'
      ? []
      : [[t.debit_on, formatDay(route.debit_on, language)]]
  if (route.method === 'DIRECT_DEBIT') {
    return [
      [t.method, t.direct_debit[route.scheme]],
      ...sum,
      ...debit,
      [t.iban, formatIban(route.debtor_iban)],
      [t.mandate_reference, route.mandate_reference],
      [t.creditor_identifier, lender.creditor_identifier],
    ]
  }
  if (route.method === 'P2P') {
    return [[t.method, t.wallet_debit], ...sum, ...debit, [t.wallet, route.wallet]]
  }
  return [
    [t.method, t.credit_transfer],
    ...sum,
    [t.account_holder, route.account_holder],
    [t.iban, formatIban(route.iban)],
    ...(route.bic ? ([[t.bic, route.bic]] as [string, string][]) : []),
    [t.reference, route.reference],
  ]
}
