/** Wallets: borrowers' accounts at the lender's bank, which we pay loans into and debit. */
import { z } from 'zod'
import { events, operations } from './define.ts'
import {
  Currency,
  Id,
  IdentifierTypeOrName,
  Metadata,
  Moment,
  page,
  pageQuery,
  text,
} from './shared.ts'

export const OpenWalletBody = z.strictObject({
  holder_name: text(140).nullish(),
  currency: z.enum(['EUR']).nullish(),
  metadata: Metadata.nullish(),
})
export type OpenWalletBody = z.infer<typeof OpenWalletBody>

export const Wallet = z
  .object({
    id: Id,
    borrower_id: Id,
    account_number: z.string(),
    account_number_type: z.literal('internal_id'),
    bank_identifier: z.string(),
    bank_identifier_type: z.literal('undefined'),
    account_holder: z.object({ identifier: z.string(), identifier_type: IdentifierTypeOrName }),
    holder_name: z.string(),
    currency: Currency,
    /** Null if the bank does not report it. */
    balance: z.int().nullable(),
    metadata: Metadata,
    created_at: Moment,
  })
  .meta({ id: 'Wallet' })
export type Wallet = z.infer<typeof Wallet>

const BorrowerParams = z.object({ borrower_id: Id })

export const walletOperations = operations({
  openWallet: {
    method: 'POST',
    path: '/borrower/{borrower_id}/wallets',
    summary: 'Open a wallet for a borrower',
    description:
      'An account of its own, with the account_number_type internal_id: loans are paid out to ' +
      'it, and repaid by its debit once the repayment method P2P is enabled. Its holder is the ' +
      'borrower; holder_name is how payments show it, by default the name of the company. In a ' +
      'sandbox an incoming transfer to its account_number puts money in.',
    scope: 'borrowers:write',
    gated: true,
    success: 201,
    params: BorrowerParams,
    body: OpenWalletBody,
    body_optional: true,
    answer: Wallet,
    problems: ['state_conflict', 'not_ready'],
  },
  listWallets: {
    method: 'GET',
    path: '/borrower/{borrower_id}/wallets',
    summary: 'List the wallets of a borrower with what they hold',
    scope: 'borrowers:read',
    gated: false,
    success: 200,
    params: BorrowerParams,
    query: z.strictObject(pageQuery),
    answer: page(Wallet),
    problems: [],
  },
})

export const walletEvents = events({
  'Wallet.OPENED': { resource: 'wallet', data: Wallet },
})
