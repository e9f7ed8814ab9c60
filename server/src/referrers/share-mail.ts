/** The mail that tells a referrer its share of a month. Pure. */
import { type Day, formatDay } from '../kit/dates.ts'
import { formatMoney } from '../kit/money.ts'

interface ShareTold {
  readonly referrer: string
  readonly period_from: Day
  readonly period_to: Day
  /** Cents. */
  readonly amount: bigint
  readonly lender: { readonly name: string; readonly email: string }
}

export function shareMail(told: ShareTold): { subject: string; text: string } {
  const amount = formatMoney(told.amount, 'EUR', 'en')
  const from = formatDay(told.period_from, 'en')
  const to = formatDay(told.period_to, 'en')
  return {
    subject: `Your revenue share for ${from} to ${to}`,
    text: [
      `Dear ${told.referrer},`,
      `your share of the interest that your referrals have paid up to ${to} is ${amount}.`,
      'Please send your invoice of this amount to the platform that you refer to. It is paid on ' +
        'the banking day after it was handed in.',
      `Questions are answered at ${told.lender.email}.`,
      told.lender.name,
    ].join('\n\n'),
  }
}
