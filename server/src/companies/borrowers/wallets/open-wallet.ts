/** Opens a wallet, an account at the bank in the borrower's name, and puts it on file. */
import type { OpenWalletBody } from '@headroom/contract'
import type { Context } from '../../../context.ts'
import type { JsonObject } from '../../../platform/db/schema.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { recordEvent } from '../../../platform/events/record.ts'
import { newId } from '../../../platform/kit/ids.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { assertNotClosed } from '../assert-not-closed.ts'
import { type BorrowerRow, insertWallet, upsertAccount } from '../store.ts'
import { type WalletRow, walletAccount } from './wallet-queries.ts'

/** A wallet opened at the bank but not yet stored. */
export interface OpenedWallet {
  readonly id: string
  readonly account_number: string
  readonly holder_name: string
}

/**
 * Opens a wallet at the bank. If the request fails later, an empty account remains at the bank,
 * which is harmless. Throws `not_ready` if the bank does not respond, `state_conflict` if it
 * refuses or the borrower is closed for good.
 */
export async function requestWallet(
  { ports }: Context,
  borrower: BorrowerRow,
  body: OpenWalletBody | undefined,
): Promise<OpenedWallet> {
  assertNotClosed(borrower)
  const id = newId()
  const holder_name = body?.holder_name ?? borrower.name
  const request = { wallet_id: id, partner_id: borrower.partner_id, holder_name }
  const outcome = await ports.bank.openWallet(request)
  switch (outcome.state) {
    case 'opened':
      return { id, account_number: outcome.account_number, holder_name }
    case 'refused':
      throw problem('state_conflict', `The bank opens no wallet: ${outcome.reason}`)
    case 'unknown':
      throw problem('not_ready', 'The bank did not answer. Try again shortly.', {
        retry_after_seconds: 5,
      })
  }
}

export async function openWallet(
  tx: Tx,
  borrower: BorrowerRow,
  { id, account_number, holder_name }: OpenedWallet,
  body: OpenWalletBody | undefined,
): Promise<WalletRow> {
  assertNotClosed(borrower)
  const { partner_id, id: borrower_id } = borrower
  const metadata = (body?.metadata ?? {}) as JsonObject
  const owner = { id, partner_id, borrower_id, created_at: tx.now }
  const wallet = { ...owner, account_number, holder_name, currency: 'EUR', metadata }
  await insertWallet(tx, wallet)
  await upsertAccount(tx, { ...owner, account_name: holder_name, ...walletAccount(account_number) })
  recordEvent(tx, 'wallet', wallet, 'Wallet.OPENED')
  return { ...wallet, holder: borrower }
}
