/** Creates and enables repayment methods, and replaces the main one. */
import type { Status } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { publishFact } from '../../../facts.ts'
import { initialStatus, move, recordCreation } from '../../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { storedAccount } from '../accounts.ts'
import {
  type BorrowerRow,
  insertMethod,
  type MethodRow,
  renameMethod,
  setMain,
  setWhenReady,
} from '../store.ts'
import { type WalletRow, walletAccount } from '../wallets/wallet-queries.ts'
import { createMandate, findMandate, type NewMandate } from './create-mandate.ts'

export interface NewRepaymentMethod {
  readonly name: string | null
  /** Whether it replaces the main method once READY. */
  readonly main: boolean
  /** Whether the active loans move to it once READY. */
  readonly apply: boolean
  /** The mandate of a direct debit; null for other methods. */
  readonly mandate: NewMandate | null
  readonly wallet?: Pick<WalletRow, 'id' | 'account_number'> | null
}

/**
 * Adds a repayment method to a locked borrower and returns its id. Uses an existing method with the
 * same mandate data or wallet instead; a borrower has only one bank transfer. The method becomes
 * the main one only once READY, so that the previous one stays in force if the new one fails.
 */
export async function saveRepaymentMethod(
  tx: Tx,
  borrower: BorrowerRow,
  input: NewRepaymentMethod,
): Promise<string> {
  const method = (await findMethod(tx, borrower, input)) ?? (await make(tx, borrower, input))
  if (input.name && input.name !== method.name) await renameMethod(tx, method, input.name)
  await setWhenReady(tx, method, {
    main_when_ready: input.main || method.main_when_ready,
    apply_when_ready: input.apply || method.apply_when_ready,
  })
  if (method.status === 'READY') await applyMethodFlags(tx, method)
  return method.id
}

async function findMethod(
  tx: Tx,
  borrower: BorrowerRow,
  { mandate, wallet }: NewRepaymentMethod,
): Promise<MethodRow | undefined> {
  const oldest = (which: RawBuilder<boolean>) =>
    tx.maybe(sql<MethodRow>`
      select * from repayment_methods
      where ${haveKeys([borrower], 'repayment_methods', 'borrower_id')} and ${which}
        and status <> 'DEACTIVATED'
      order by id limit 1`)
  if (wallet) return oldest(sql`wallet_id = ${wallet.id}`)
  if (!mandate) return oldest(sql`payment_method = 'SCT'`)
  const same = await findMandate(tx, borrower, mandate)
  return same && oldest(sql`mandate_id = ${same.id}`)
}

async function make(
  tx: Tx,
  borrower: BorrowerRow,
  { name, mandate, wallet }: NewRepaymentMethod,
): Promise<MethodRow> {
  const mandate_id = mandate && (await createMandate(tx, borrower, mandate))
  // Without a mandate, a method needs no confirmation. In a sandbox, a mandate needs none either.
  const ready = !mandate || tx.settings.mode === 'sandbox'
  const initial = initialStatus('repayment_method', [
    ...(mandate ? ['submit' as const] : []),
    ...(ready ? ['enable' as const] : []),
  ])
  const { partner_id } = borrower
  const account = mandate
    ? storedAccount({ account_number: mandate.iban, bank_identifier: mandate.bic })
    : wallet
      ? walletAccount(wallet.account_number)
      : null
  const row: MethodRow = {
    id: tx.newId(),
    partner_id,
    borrower_id: borrower.id,
    name,
    payment_method: mandate ? 'DIRECT_DEBIT' : wallet ? 'P2P' : 'SCT',
    status: initial.status,
    is_main: false,
    main_when_ready: false,
    apply_when_ready: false,
    from_account: account,
    mandate_id,
    wallet_id: wallet?.id ?? null,
    created_at: tx.now,
  }
  await insertMethod(tx, { ...row, from_account: account && JSON.stringify(account) })
  recordCreation(tx, [{ id: row.id, partner_id, initial }])
  return row
}

async function applyMethodFlags(tx: Tx, { partner_id, id }: RowKey): Promise<void> {
  const method = await tx.one(sql<MethodRow & { main_there: boolean }>`
    select m.*, exists (select from repayment_methods o where o.partner_id = m.partner_id
      and o.borrower_id = m.borrower_id and o.is_main and o.status = 'READY') as main_there
    from repayment_methods m where m.partner_id = ${partner_id} and m.id = ${id}`)
  const { borrower_id } = method
  if (method.apply_when_ready) {
    await publishFact(tx, 'repayment_method_chosen', {
      borrower_id,
      partner_id,
      repayment_method_id: id,
    })
  }
  // Debits are planned on the main method. If there is none, a READY method becomes the main one.
  if (method.main_when_ready || !method.main_there) {
    await setMain(tx, { partner_id, id: borrower_id }, id)
    await publishFact(tx, 'main_method_chosen', { borrower_id, partner_id })
  }
  await setWhenReady(tx, method, { main_when_ready: false, apply_when_ready: false })
}

/**
 * Enables a method whose mandate was confirmed. The caller has locked the borrower and advances it
 * afterwards (`advanceBorrower`).
 */
export async function enableMethod(tx: Tx, method: MethodRow): Promise<void> {
  if (method.mandate_id) {
    const mandate = await tx.one(sql<RowKey & { status: Status<'mandate'> }>`
      select id, partner_id, status from mandates
      where partner_id = ${method.partner_id} and id = ${method.mandate_id}`)
    await move(tx, 'mandate', [mandate], 'activate')
  }
  await move(tx, 'repayment_method', [method], 'enable')
  await applyMethodFlags(tx, method)
}
