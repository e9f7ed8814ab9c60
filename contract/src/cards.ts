/** Cards: virtual cards at a card processor that draw on a borrower's credit line. */
import { z } from 'zod'
import { events, machine, operations } from './define.ts'
import {
  Binary,
  digits,
  Email,
  Id,
  Moment,
  PAGE_SIZE_MAX,
  PositiveCents,
  text,
  WireDay,
} from './shared.ts'

const CARD_STATUSES = ['inactive', 'active', 'canceled'] as const
const CARD_ENTRY_STATUSES = ['pending', 'completed', 'declined', 'reversed'] as const

/** New cards are inactive; canceled is final. */
export const cardMachine = machine({
  name: 'card',
  about: 'A card on a credit line. It spends while it is active.',
  initial: 'inactive',
  statuses: CARD_STATUSES,
  transitions: [
    { from: 'inactive', trigger: 'activate', to: 'active' },
    { from: 'active', trigger: 'deactivate', to: 'inactive' },
    { from: 'inactive', trigger: 'cancel', to: 'canceled' },
    { from: 'active', trigger: 'cancel', to: 'canceled' },
  ],
})

/**
 * A pending entry reserves credit. A clearing counts even after its authorization has lapsed, and
 * amounts that the processor approved on our behalf are honored.
 */
export const cardEntryMachine = machine({
  name: 'card_entry',
  about: 'One use of a card. It reserves credit while it is pending.',
  initial: 'pending',
  statuses: CARD_ENTRY_STATUSES,
  transitions: [
    { from: 'pending', trigger: 'decline', to: 'declined' },
    { from: 'pending', trigger: 'clear', to: 'completed' },
    { from: 'pending', trigger: 'reverse', to: 'reversed' },
    { from: 'reversed', trigger: 'clear', to: 'completed' },
    { from: 'declined', trigger: 'honour', to: 'pending' },
  ],
})

const SPENDING_INTERVALS = ['per_authorization', 'daily', 'weekly', 'monthly'] as const

/** Limits on a card's use, in addition to its credit line. Weeks start on Monday. */
export const CardConstraints = z.strictObject({
  spending_limits: z
    .array(z.strictObject({ amount: PositiveCents, interval: z.enum(SPENDING_INTERVALS) }))
    .max(10)
    .optional(),
  allowed_categories: z.array(text(100)).min(1).max(300).optional(),
  blocked_categories: z.array(text(100)).min(1).max(300).optional(),
})

/** An allowlist of categories already excludes all others, so adding a blocklist is an error. */
const NewConstraints = CardConstraints.refine(
  ({ allowed_categories, blocked_categories }) => !(allowed_categories && blocked_categories),
  { path: ['blocked_categories'], error: 'cannot be combined with allowed_categories' },
)
export type CardConstraints = z.infer<typeof CardConstraints>

/**
 * The credit of the whole line, not of one card: `used` is cleared spending not yet repaid,
 * `pending` is held by open authorizations, and `available` is the available credit before
 * `pending` is subtracted.
 */
const CreditBalance = z
  .object({
    available: z.int(),
    pending: z.int(),
    used: z.int(),
    currency: z.string(),
    available_including_pending: z.int(),
  })
  .meta({ id: 'CreditBalance' })

export const Card = z
  .object({
    id: Id,
    borrower_id: Id,
    borrower_name: z.string(),
    status: z.enum(CARD_STATUSES),
    card_type: z.string(),
    brand: z.string(),
    last4: z.string(),
    currency: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    constraints: CardConstraints,
    balance: CreditBalance,
    provider_account_id: z.string().nullable(),
    provider_card_id: z.string().nullable(),
    created_at: Moment,
  })
  .meta({ id: 'Card' })
export type Card = z.infer<typeof Card>

export const CardEntry = z
  .object({
    id: z.string(),
    card_id: Id,
    status: z.enum(CARD_ENTRY_STATUSES),
    entry_type: z.string(),
    transaction_type: z.enum(['payment', 'refund', 'dispute', 'dispute_reversal']),
    /** In cents: spending is positive, money returned to the card negative. */
    amount: z.int(),
    currency: z.string(),
    merchant_name: z.string(),
    merchant_category: z.string(),
    merchant_amount: z.int().nullable(),
    merchant_currency: z.string().nullable(),
    decline_reason: z.string().nullable(),
    /** The loan that finances the entry's billing cycle. */
    funding_obligation_id: z.string().nullable(),
    created: Moment,
    cleared_at: Moment.nullable(),
  })
  .meta({ id: 'CardEntry' })
export type CardEntry = z.infer<typeof CardEntry>

const CardParams = z.object({ card_id: Id })
const read = { scope: 'cards:read', borrowers: 'may', gated: false, success: 200 } as const
const entryRange = { from_date: WireDay.optional(), to_date: WireDay.optional() }

export const cardOperations = operations({
  createBorrowerAccessToken: {
    method: 'POST',
    path: '/borrower/{borrower_id}/access-token',
    summary: 'Mint an access token of a borrower',
    description:
      'A JWT that lets the borrower itself call the operations on its cards. It lives for ' +
      'fifteen minutes of real time, and no longer than the key that minted it.',
    scope: 'cards:write',
    gated: true,
    success: 201,
    params: z.object({ borrower_id: Id }),
    answer: z
      .object({ access_token: z.string(), expires_at: Moment })
      .meta({ id: 'BorrowerAccessToken' }),
    shown_once: ['access_token'],
    problems: [],
  },
  createCard: {
    method: 'POST',
    path: '/cards',
    summary: 'Issue a card to a borrower',
    description:
      'It is virtual and inactive. The borrower has a credit line, and is neither blocked nor ' +
      'deactivated. A processor may need the mobile number of the holder: a director or owner ' +
      'of that name lends what is not told here. Where the processor does not answer (503) the ' +
      'order stands, and a step of a decision waits for it.',
    scope: 'cards:write',
    gated: true,
    success: 201,
    body: z.strictObject({
      borrower_id: Id,
      first_name: text(100),
      last_name: text(100),
      email: Email.nullish(),
      phone_number: text(30).nullish(),
      constraints: NewConstraints.nullish(),
    }),
    answer: Card,
    problems: ['state_conflict', 'resource_unknown', 'processor_unavailable'],
  },
  listCards: {
    ...read,
    method: 'GET',
    path: '/cards',
    summary: 'List cards',
    description:
      'All of them, newest first, or as many as `page_size` says, older than the card `before`; ' +
      'with an access token those of its borrower.',
    query: z.strictObject({
      borrower_id: Id.optional(),
      page_size: digits(z.int().min(1).max(PAGE_SIZE_MAX).optional()),
      before: Id.optional(),
    }),
    answer: z.array(Card),
    problems: [],
  },
  getCard: {
    ...read,
    method: 'GET',
    path: '/cards/{card_id}',
    summary: 'Read a card',
    params: CardParams,
    answer: Card,
    problems: [],
  },
  listCardEntries: {
    ...read,
    method: 'GET',
    path: '/cards/{card_id}/entries',
    summary: 'List what a card was used for',
    description: 'Newest first, from from_date on and before to_date; a day begins in Paris.',
    params: CardParams,
    query: z.strictObject(entryRange),
    answer: z.array(CardEntry),
    problems: [],
  },
  exportCardEntries: {
    ...read,
    method: 'GET',
    path: '/cards/{card_id}/entries/export',
    summary: 'Export what a card was used for',
    description:
      'As CSV, or as a statement on paper. `period` names a month, YYYY-MM, in place of ' +
      'from_date and to_date, before which the entries are.',
    params: CardParams,
    query: z.strictObject({
      ...entryRange,
      period: z
        .string()
        .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'is not a month such as 2026-07')
        .optional(),
      format: z.enum(['csv', 'pdf']).default('csv'),
    }),
    answer: Binary,
    media_type: 'text/csv',
    long_lists: [],
    problems: [],
  },
  updateCardStatus: {
    method: 'PATCH',
    path: '/cards/{card_id}/status',
    summary: 'Activate, deactivate or cancel a card',
    description:
      'Set at the processor first, and here once it has said so. `canceled` is final. Where the ' +
      'processor does not answer (503) the order stands, and a step of a decision waits for it.',
    scope: 'cards:write',
    borrowers: 'may',
    gated: true,
    success: 200,
    params: CardParams,
    body: z.strictObject({ status: z.enum(CARD_STATUSES) }),
    answer: Card,
    problems: ['state_conflict', 'processor_unavailable'],
  },
  createCardEphemeralKey: {
    method: 'POST',
    path: '/cards/{card_id}/ephemeral-key',
    summary: 'Get a key by which the card can be shown',
    description:
      'With it the borrower reads number and code from the processor itself; they never pass ' +
      'through this service. Only the access token of the borrower may ask for one. It is kept ' +
      'nowhere: whoever asks again sends a new nonce.',
    scope: 'cards:write',
    borrowers: 'only',
    gated: true,
    never_kept: true,
    success: 200,
    params: CardParams,
    body: z.strictObject({ nonce: text(500) }),
    body_media_type: 'application/x-www-form-urlencoded',
    answer: z
      .object({
        ephemeral_key_secret: z.string(),
        provider_account_id: z.string(),
        provider_card_id: z.string(),
        publishable_key: z.string(),
      })
      .meta({ id: 'EphemeralKeyResult' }),
    problems: ['borrower_token_missing', 'state_conflict', 'processor_unavailable'],
  },
})

const cardEvent = { resource: 'card', data: Card } as const
const entryEvent = { resource: 'card_entry', data: CardEntry } as const

export const cardEvents = events({
  'Card.CREATED': cardEvent,
  'Card.ACTIVE': cardEvent,
  'Card.INACTIVE': cardEvent,
  'Card.CANCELED': cardEvent,
  'CardEntry.PENDING': entryEvent,
  'CardEntry.COMPLETED': entryEvent,
  'CardEntry.DECLINED': entryEvent,
  'CardEntry.REVERSED': entryEvent,
  'CardEntry.UPDATED': { ...entryEvent, is_update: true },
})
