/** The mandates and wallets that debits are taken from, and their accounts. */
import { sql } from 'kysely'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { ibanAccount, type PaymentAccount } from '../../../platform/kit/payment-account.ts'
import { walletAccount } from '../wallets/wallet-queries.ts'

/** A mandate or a wallet to debit; both null for a bank transfer. */
export interface DebitSource {
  readonly mandate_id: string | null
  readonly wallet_id: string | null
}

export function sameDebitSource(a: DebitSource, b: DebitSource): boolean {
  return a.mandate_id === b.mandate_id && a.wallet_id === b.wallet_id
}

export interface ActiveMethod extends DebitSource {
  readonly id: string
  readonly payment_method: 'DIRECT_DEBIT' | 'P2P' | 'SCT'
  readonly is_main: boolean
  /** The account to debit; null for a bank transfer. */
  readonly account: PaymentAccount | null
  readonly reference: string | null
}

interface Account {
  iban: string | null
  bic: string | null
  wallet_number: string | null
  name: string
}

function accountOf({ iban, bic, wallet_number, name }: Account): PaymentAccount | null {
  if (wallet_number !== null) return { ...walletAccount(wallet_number), name }
  return iban === null ? null : ibanAccount(iban, bic, name)
}

/**
 * READY methods by borrower, direct debits only if their mandate is READY: the main one first, then
 * the oldest. Borrowers without any have no entry.
 */
export async function activeMethods(
  tx: Tx,
  borrowers: readonly RowKey[],
): Promise<Map<string, ActiveMethod[]>> {
  if (borrowers.length === 0) return new Map()
  type Row = Omit<ActiveMethod, 'account'> & Account & { borrower_id: string }
  const rows = await tx.all(sql<Row>`
    select m.id, m.borrower_id, m.payment_method, m.is_main, m.mandate_id, m.wallet_id,
      d.reference, d.iban, d.bic, w.account_number as wallet_number,
      coalesce(d.debtor_name, w.holder_name) as name
    from repayment_methods m
    left join mandates d on d.partner_id = m.partner_id and d.id = m.mandate_id
    left join wallets w on w.partner_id = m.partner_id and w.id = m.wallet_id
    where ${haveKeys(borrowers, 'm', 'borrower_id')} and m.status = 'READY'
      and (m.payment_method <> 'DIRECT_DEBIT' or d.status = 'READY')
    order by m.is_main desc, m.id`)
  return Map.groupBy(
    rows.map(row => ({ ...row, account: accountOf(row) })),
    row => row.borrower_id,
  )
}

/** The accounts to debit, by mandate or wallet id. Ended mandates have no entry. */
export async function debitedAccounts(
  tx: Tx,
  sources: readonly (DebitSource & { readonly partner_id: string })[],
): Promise<Map<string, PaymentAccount>> {
  const mandates = sources.flatMap(({ partner_id, mandate_id: id }) =>
    id === null ? [] : [{ partner_id, id }],
  )
  const wallets = sources.flatMap(({ partner_id, wallet_id: id }) =>
    id === null ? [] : [{ partner_id, id }],
  )
  if (mandates.length + wallets.length === 0) return new Map()
  const rows = await tx.all(sql<Account & { id: string }>`
    select id, iban, bic, null as wallet_number, debtor_name as name from mandates
    where ${haveKeys(mandates, 'mandates')} and status <> 'DEACTIVATED'
    union all select id, null, null, account_number, holder_name from wallets
    where ${haveKeys(wallets, 'wallets')}`)
  return new Map(rows.map(row => [row.id, accountOf(row)!]))
}
