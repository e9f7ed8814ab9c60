/** Reads wallets and builds their API views. Only the bank knows a wallet's balance. */
import type { Wallet } from '@headroom/contract'
import { type Selectable, sql } from 'kysely'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import { newestFirst, type Page, readPage, viewPage } from '../../../platform/db/page.ts'
import type { DB } from '../../../platform/db/schema.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { ResourceView } from '../../../platform/events/record.ts'
import { toWire } from '../../../platform/kit/money.ts'
import type { BorrowerRow, StoredAccount } from '../store.ts'

export type WalletRow = Selectable<DB['wallets']> & {
  holder: Pick<BorrowerRow, 'identifier' | 'identifier_type'>
}

export function walletAccount(account_number: string): StoredAccount {
  return {
    account_number,
    account_number_type: 'internal_id',
    bank_identifier: '',
    bank_identifier_type: 'undefined',
  }
}

export async function readWallets(
  tx: Tx,
  borrower: BorrowerRow,
  path: string,
  query: { page_size: number; cursor?: string | undefined },
): Promise<Page<WalletRow>> {
  const page = await readPage(
    tx,
    { path, ...query },
    newestFirst(sql.ref('w.id')),
    (where, key) => sql<Selectable<DB['wallets']>>`
      select w.*, ${key} from wallets w where w.borrower_id = ${borrower.id}
        and w.partner_id = ${borrower.partner_id} and ${where}`,
  )
  return viewPage(page, row => ({ ...row, holder: borrower }))
}

/** The borrower's wallet with this number; without a number, its newest wallet. */
export async function findWallet(
  tx: Tx,
  borrower: Pick<BorrowerRow, 'id' | 'partner_id'>,
  account_number: string | null,
): Promise<Selectable<DB['wallets']> | undefined> {
  return tx.maybe(sql<Selectable<DB['wallets']>>`
    select * from wallets where borrower_id = ${borrower.id}
      and partner_id = ${borrower.partner_id}
      and (${account_number}::text is null or account_number = ${account_number})
    order by id desc limit 1`)
}

/** `balance` in cents; null if the bank does not report it. */
export function viewWallet(wallet: WalletRow, balance: bigint | null): Wallet {
  const { identifier, identifier_type } = wallet.holder
  return {
    id: wallet.id,
    borrower_id: wallet.borrower_id,
    account_number: wallet.account_number,
    account_number_type: 'internal_id',
    bank_identifier: '',
    bank_identifier_type: 'undefined',
    account_holder: { identifier, identifier_type: identifier_type as 'siren' },
    holder_name: wallet.holder_name,
    currency: 'EUR',
    balance: balance === null ? null : toWire(balance),
    metadata: wallet.metadata as Wallet['metadata'],
    created_at: wallet.created_at.toISOString(),
  }
}

/** Wallet views for events. The only event of a wallet is its opening, with a balance of 0. */
export async function walletViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, ResourceView>> {
  const rows = await tx.all(sql<WalletRow>`
    select w.*, json_build_object('identifier', b.identifier, 'identifier_type',
      b.identifier_type) as holder
    from wallets w join borrowers b on b.partner_id = w.partner_id and b.id = w.borrower_id
    where ${haveKeys(keys, 'w')}`)
  return new Map(
    rows.map(row => [row.id, { partner_id: row.partner_id, data: viewWallet(row, 0n) }]),
  )
}
