/** The sandbox card processor: simulates the actions of merchants and cardholders. */
import { z } from 'zod'
import { CardEntry } from './cards.ts'
import { operations } from './define.ts'
import { Id, PositiveCents, text } from './shared.ts'

const Merchant = { merchant_name: text(200), merchant_category: text(100).nullish() }
const WireCurrency = z.string().regex(/^[A-Z]{3}$/, 'is no currency such as EUR')

/** The answer to the card processor; `amount` is the reserved amount, in cents. */
const CardAuthorization = z
  .object({
    authorization_id: Id,
    approved: z.boolean(),
    reason: z.string().nullable(),
    amount: z.int(),
  })
  .meta({ id: 'CardAuthorization' })

const control = {
  method: 'POST',
  scope: 'sandbox',
  gated: false,
  sandbox: true,
  success: 200,
} as const

const ofAuthorization = {
  ...control,
  params: z.object({ authorization_id: Id }),
  body: z.strictObject({
    amount: PositiveCents.nullish(),
    merchant_amount: PositiveCents.nullish(),
    merchant_currency: WireCurrency.nullish(),
  }),
  body_optional: true,
  problems: ['state_conflict'],
} as const

const ofCard = {
  ...control,
  params: z.object({ card_id: Id }),
  body: z.strictObject({
    amount: PositiveCents,
    merchant_name: text(200).nullish(),
    merchant_category: text(100).nullish(),
  }),
  answer: CardEntry,
  problems: ['state_conflict'],
} as const

export const sandboxCardOperations = operations({
  authorizeSandboxCard: {
    ...control,
    path: '/sandbox/cards/{card_id}/authorize',
    summary: 'Let a merchant ask for money of a card',
    description: 'With allow_partial the merchant also takes less than it asks for.',
    params: z.object({ card_id: Id }),
    body: z.strictObject({
      amount: PositiveCents,
      currency: WireCurrency,
      ...Merchant,
      allow_partial: z.boolean().default(false),
    }),
    answer: CardAuthorization,
    problems: [],
  },
  clearSandboxAuthorization: {
    ...ofAuthorization,
    path: '/sandbox/cards/authorization/{authorization_id}/clear',
    summary: 'Let a merchant take the money',
    description:
      'The whole of what is held, or less, or more. What is not taken is given back. merchant ' +
      'amount and currency tell what was paid at the till, where that is another currency.',
    answer: CardEntry,
  },
  incrementSandboxAuthorization: {
    ...ofAuthorization,
    path: '/sandbox/cards/authorization/{authorization_id}/increment',
    summary: 'Let a merchant ask for more',
    body: z.strictObject({ amount: PositiveCents }),
    body_optional: false,
    answer: CardAuthorization,
  },
  reverseSandboxAuthorization: {
    ...ofAuthorization,
    path: '/sandbox/cards/authorization/{authorization_id}/reverse',
    summary: 'Let a merchant give back what is held, or a part of it',
    answer: CardAuthorization,
  },
  forcePostSandboxCard: {
    ...ofCard,
    path: '/sandbox/cards/{card_id}/force-post',
    summary: 'Let a merchant take money without asking first',
  },
  refundSandboxCard: {
    ...ofCard,
    path: '/sandbox/cards/{card_id}/refund',
    summary: 'Let a merchant refund',
  },
  disputeSandboxCardEntry: {
    ...control,
    path: '/sandbox/cards/entry/{entry_id}/dispute',
    summary: 'Dispute an entry, and win',
    description: 'Answers the entry by which the money comes back.',
    params: z.object({ entry_id: Id }),
    body: z.strictObject({ amount: PositiveCents }),
    answer: CardEntry,
    problems: ['state_conflict'],
  },
})
