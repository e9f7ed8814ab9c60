/**
 * Actions around a company: it joins, is reviewed, changes its repayment method or leaves, and its
 * partner shares data.
 */
import { TERMS_COUNTRIES } from '@headroom/contract'
import type { Client } from '@headroom/sdk'
import { addDays } from '../../../server/src/platform/kit/dates.ts'
import type { Write } from '../world.ts'
import { type Action, key, someBorrower, today } from './pick.ts'

const DEBIT_SHARE = 0.6
const WALLET_SHARE = 0.15
/** The share of borrowers repaying by transfer that pay late. */
const LATE_SHARE = 0.4
/** The share of borrowers without direct debit that have no email address. */
const SILENT_SHARE = 0.2

/**
 * A company joins, signs and gets a repayment method: a debit of an account or wallet, or
 * transfers.
 */
export const onboard: Action = async world => {
  const { random, app, borrowers } = world
  const partner = random.int(0, app.clients.length - 1)
  const country = random.pick(TERMS_COUNTRIES)
  const chance = random.next()
  const by_wallet = chance > 1 - WALLET_SHARE
  const method = chance < DEBIT_SHARE ? 'DIRECT_DEBIT' : by_wallet ? 'P2P' : 'SCT'
  const late = method === 'SCT' && random.next() < LATE_SHARE
  const keys = [key(), key(), key(), key()] as const
  const client = app.clients[partner]!
  const generated = await client.generateSandboxBusiness({ country, is_borrower: true })
  const { account_number, identifier, ...rest } = generated
  const by_debit = method === 'DIRECT_DEBIT'
  const silent = !by_debit && random.next() < SILENT_SHARE
  const directors = generated.directors?.map(one => ({
    ...one,
    ...(silent && { business_email: null }),
  }))
  const without = { ...rest, directors, identifier, bank_identifier: null }
  const payload = by_debit ? generated : without
  const signed_at = new Date().toISOString()
  const write: Write = async one => {
    const { id } = await one.createBorrower(payload, keys[0])
    const borrower_id = id!
    await one.signBorrower({ borrower_id, signed_at }, keys[1])
    if (by_wallet) await openWallet(world.wallets, one, borrower_id, keys[3])
    if (!by_debit) {
      const input = { payment_method: method, is_default_repayment_method: true } as const
      const all = { borrower_id, ...input, apply_to_all_active_loans: false }
      await one.addRepaymentMethod(all, keys[2])
    }
    borrowers.push({ id: borrower_id, partner, identifier, account_number: account_number!, late })
  }
  const traits = `${late ? ', who pays late' : ''}${silent ? ', without an e-mail address' : ''}`
  return { partner, name: `onboard ${country} ${method}${traits}`, write }
}

async function openWallet(
  wallets: Map<string, bigint>,
  client: Client,
  borrower_id: string,
  once: { idempotency_key: string },
): Promise<void> {
  const { account_number } = await client.openWallet({ borrower_id }, once)
  if (!wallets.has(account_number)) wallets.set(account_number, 0n)
}

export const changeMethod: Action = async world => {
  const { random, wallets } = world
  const borrower = someBorrower(world)
  if (!borrower) return null
  const payment_method = random.pick(['DIRECT_DEBIT', 'SCT', 'P2P'] as const)
  const input = {
    borrower_id: borrower.id,
    payment_method,
    is_default_repayment_method: true,
    apply_to_all_active_loans: random.next() < 0.6,
  }
  const keys = [key(), key()] as const
  const opens = payment_method === 'P2P' && random.next() < 0.7
  const write: Write = async client => {
    if (opens) await openWallet(wallets, client, borrower.id, keys[0])
    await client.addRepaymentMethod(input, keys[1])
  }
  const reach = input.apply_to_all_active_loans ? ' for running loans too' : ''
  return { partner: borrower.partner, name: `repay by ${payment_method}${reach}`, write }
}

export const reviewAgain: Action = async world => {
  const borrower = someBorrower(world)
  if (!borrower) return null
  const status = world.random.pick(['APPROVED', 'APPROVED', 'REVIEWING', 'REJECTED'] as const)
  const once = key()
  const write: Write = async client => {
    await client.setSandboxKyb({ borrower_id: borrower.id, status }, once)
  }
  return { partner: borrower.partner, name: `compliance says ${status}`, write }
}

/** A partner shares a year's turnover, which affects the limit. */
export const shareTurnover: Action = async world => {
  const { random, app } = world
  const borrower = someBorrower(world)
  if (!borrower) return null
  const client = app.clients[borrower.partner]!
  const { identifier_type } = await client.getBorrower({ borrower_id: borrower.id })
  const to = addDays(await today(client), -1)
  const amount = random.int(0, 2_000_000_00)
  const once = key()
  const write: Write = async one => {
    await one.shareActivity(
      {
        identifier: borrower.identifier,
        identifier_type,
        kind: 'SALES',
        periods: [{ from: addDays(to, -364), to, amount, count: 400 }],
      },
      once,
    )
  }
  return { partner: borrower.partner, name: `tell a turnover of ${amount}`, write }
}

/** A partner shares a company's balances, transactions or invoices. */
export const shareNews: Action = async world => {
  const { random, app } = world
  const borrower = someBorrower(world)
  if (!borrower) return null
  const client = app.clients[borrower.partner]!
  const { identifier_type } = await client.getBorrower({ borrower_id: borrower.id })
  const on = await today(client)
  const worse = random.next() < 0.5
  const about = { identifier: borrower.identifier, identifier_type }
  const once = key()
  const at = `${addDays(on, -1)}T10:00:00Z`
  const amount = random.int(1, 300_000_00)
  const balance = worse ? -amount : amount
  const transactions = Array.from({ length: random.int(1, 4) }, (_, n) => ({
    account: 'main',
    amount: random.int(1, 90_000_00),
    at,
    status: 'completed' as const,
    side: worse || n > 1 ? ('debit' as const) : ('credit' as const),
    operation_type: 'income' as const,
    salt_id: crypto.randomUUID(),
  }))
  const accounts = [{ id: 'main', amount: balance, last_updated_at: at }]
  const invoice = {
    buyer: { identifier: '404833048', identifier_type: 'siren' as const },
    seller: about,
    direction: 'receivable' as const,
    invoice_number: `N-${random.int(1, 50)}`,
    issued_at: addDays(on, -70),
    due_at: addDays(on, worse ? -40 : 20),
    net_amount: amount,
    total_amount: amount,
    to_pay_amount: worse ? amount : 0,
  }
  const invoices = [invoice]
  const choices: [string, Write][] = [
    ['accounts', async one => void (await one.shareAccounts({ ...about, accounts }, once))],
    [
      'transactions',
      async one => void (await one.shareTransactions({ ...about, transactions }, once)),
    ],
    ['invoices', async one => void (await one.shareInvoices({ ...about, invoices }, once))],
  ]
  const [name, write] = random.pick(choices)
  return { partner: borrower.partner, name: `share ${worse ? 'worse' : 'better'} ${name}`, write }
}

/** A borrower tries to leave, which is refused while it owes money. */
export const deactivate: Action = async world => {
  const borrower = someBorrower(world)
  if (!borrower || world.random.next() < 0.7) return null
  const once = key()
  const write: Write = async client => {
    await client.deactivateBorrower({ borrower_id: borrower.id }, once)
  }
  return { partner: borrower.partner, name: 'deactivate a borrower', write }
}
