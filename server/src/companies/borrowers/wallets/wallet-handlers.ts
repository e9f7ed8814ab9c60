/** Handlers of the operations on wallets. The bank is called outside any transaction. */
import type { OrchestratedHandler, PreparedHandler } from '../../../context.ts'
import { viewPage } from '../../../platform/db/page.ts'
import { readForPartner } from '../../../platform/db/transaction.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { readBorrowerOutsideTransaction } from '../external-checks.ts'
import { lockBorrower } from '../store.ts'
import { type OpenedWallet, openWallet as open, requestWallet } from './open-wallet.ts'
import { readWallets, viewWallet } from './wallet-queries.ts'

const openWallet: PreparedHandler<'openWallet', OpenedWallet> = {
  prepare: async (context, { params, body, caller }) => {
    const borrower = await readBorrowerOutsideTransaction(
      context,
      caller.partner_id,
      params.borrower_id,
    )
    return requestWallet(context, borrower, body)
  },
  handle: async (tx, { params, body, caller }, _context, opened) => {
    const borrower = await lockBorrower(tx, caller.partner_id, params.borrower_id)
    if (!borrower) throw problem('resource_unknown')
    return viewWallet(await open(tx, borrower, opened, body), 0n)
  },
}

const listWallets: OrchestratedHandler<'listWallets'> = {
  orchestrate: async (context, { params, query, caller, path }) => {
    const borrower = await readBorrowerOutsideTransaction(
      context,
      caller.partner_id,
      params.borrower_id,
    )
    const page = await readForPartner(context, caller.partner_id, tx =>
      readWallets(tx, borrower, path, query),
    )
    const numbers = page.data.map(wallet => wallet.account_number)
    const balances = await context.ports.bank.walletBalances(caller.partner_id, numbers)
    return viewPage(page, w => viewWallet(w, balances.get(w.account_number) ?? null))
  },
}

export const walletHandlers = { openWallet, listWallets }
