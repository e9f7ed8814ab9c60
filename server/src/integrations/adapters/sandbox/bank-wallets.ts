/** The wallets that the sandbox bank keeps for borrowers, and their balances. */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'
import { problem } from '../../../platform/kit/problem.ts'
import type { WalletOrder } from '../../ports/bank.ts'
import type { InstructionStep } from './bank-instructions.ts'

/** ISO 20022: insufficient funds. */
const NO_FUNDS = 'AM04'

/**
 * Opens a wallet and returns its account number: our own wallet id. Repeating the call has no
 * effect.
 */
export async function openWallet(tx: Tx, order: WalletOrder): Promise<string> {
  await tx.run(sql`
    insert into sandbox_bank_wallets (account_number, partner_id, holder_name, created_at)
    values (${order.wallet_id}, ${order.partner_id}, ${order.holder_name}, ${tx.now})
    on conflict (partner_id, account_number) do nothing`)
  return order.wallet_id
}

/** A partner's wallet balances in cents, by account number. */
export async function readBalances(
  tx: Tx,
  partner_id: string,
  account_numbers: readonly string[],
): Promise<Map<string, bigint>> {
  const rows = await tx.all(sql<{ account_number: string; balance: bigint }>`
    select account_number, balance from sandbox_bank_wallets
    where partner_id = ${partner_id} and account_number = any (${account_numbers}::text[])`)
  return new Map(rows.map(row => [row.account_number, row.balance]))
}

export async function isWallet(
  tx: Tx,
  account_number: string,
  partner_id: string,
): Promise<boolean> {
  const { known } = await tx.one(sql<{ known: boolean }>`
    select exists (select from sandbox_bank_wallets where partner_id = ${partner_id}
      and account_number = ${account_number}) as known`)
  return known
}

/** Credits a partner's wallet; returns false if the partner has none with that number. */
export async function payInto(
  tx: Tx,
  wallet: { account_number: string; partner_id: string },
  amount: bigint,
): Promise<boolean> {
  const paid = await tx.run(sql`
    update sandbox_bank_wallets set balance = balance + ${amount}
    where partner_id = ${wallet.partner_id} and account_number = ${wallet.account_number}`)
  return paid > 0
}

/**
 * Applies the steps' effects on wallets in order and returns the steps to execute: a due debit of a
 * wallet with insufficient funds becomes a rejection. With `manual`, throws `state_conflict`
 * instead.
 */
export async function moveWallets(
  tx: Tx,
  steps: readonly InstructionStep[],
  manual: boolean,
): Promise<InstructionStep[]> {
  const partners = steps.map(s => s.instruction.partner_id)
  const numbers = steps.map(s => s.instruction.counterparty_iban)
  const rows = await tx.all(sql<Wallet>`
    select partner_id, account_number, balance from sandbox_bank_wallets
    where (partner_id, account_number) in (
      select * from unnest(${partners}::uuid[], ${numbers}::text[]))
    order by partner_id, account_number for update`)
  if (rows.length === 0) return [...steps]
  const wallets = new Map(rows.map(row => [keyOf(row.partner_id, row.account_number), row]))
  const taken = steps.map((step): InstructionStep => {
    const { partner_id, counterparty_iban } = step.instruction
    const key = keyOf(partner_id, counterparty_iban)
    const wallet = wallets.get(key)
    if (!wallet) return step
    const balance = wallet.balance + effectOf(step)
    if (balance >= 0n) {
      wallets.set(key, { ...wallet, balance })
      return step
    }
    if (manual) throw problem('state_conflict', `the wallet holds ${wallet.balance} cents only`)
    return { ...step, trigger: 'reject', reason_code: NO_FUNDS }
  })
  const moved = [...wallets.values()]
  await tx.run(sql`
    update sandbox_bank_wallets w set balance = n.balance
    from unnest(${moved.map(one => one.partner_id)}::uuid[],
      ${moved.map(one => one.account_number)}::text[],
      ${moved.map(one => one.balance)}::bigint[]) as n (partner_id, account_number, balance)
    where w.partner_id = n.partner_id and w.account_number = n.account_number`)
  return taken
}

interface Wallet {
  readonly partner_id: string
  readonly account_number: string
  readonly balance: bigint
}

/** Two partners may have wallets with the same number. */
function keyOf(partner_id: string | null, account_number: string): string {
  return `${partner_id} ${account_number}`
}

function effectOf({ instruction: { direction, amount, state }, trigger }: InstructionStep): bigint {
  if (trigger === 'settle') return direction === 'OUT' ? amount : -amount
  // The return of a settled payout takes its amount back out of the wallet.
  return trigger === 'return' && direction === 'OUT' && state === 'SETTLED' ? -amount : 0n
}
