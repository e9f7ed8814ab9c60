/** Handlers of the operations on wallets; the bank is called outside of transactions. */
import type { Conducted, Prepared } from '../../../context.ts'
import { readAs } from '../../../platform/db/transaction.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { borrowerBefore } from '../outside.ts'
import { lockBorrower } from '../store.ts'
import { askForWallet, type Opened, openWallet as open } from './open-wallet.ts'
import { readWallets, viewWallet } from './wallet-queries.ts'

const openWallet: Prepared<'openWallet', Opened> = {
  prepare: async (context, { params, body, caller }) => {
    const borrower = await borrowerBefore(context, caller.partner_id, params.borrower_id)
    return askForWallet(context, borrower, body)
  },
  handle: async (tx, { params, body, caller }, _context, opened) => {
    const borrower = await lockBorrower(tx, caller.partner_id, params.borrower_id)
    if (!borrower) throw problem('resource_unknown')
    return viewWallet(await open(tx, borrower, opened, body), 0n)
  },
}

const listWallets: Conducted<'listWallets'> = {
  conduct: async (context, { params, query, caller, path }) => {
    const borrower = await borrowerBefore(context, caller.partner_id, params.borrower_id)
    const page = await readAs(context, caller.partner_id, tx =>
      readWallets(tx, borrower, path, query),
    )
    const numbers = page.data.map(wallet => wallet.account_number)
    const balances = await context.ports.bank.walletBalances(numbers)
    const data = page.data.map(w => viewWallet(w, balances.get(w.account_number) ?? null))
    return { ...page, data }
  },
}

export const walletHandlers = { openWallet, listWallets }
