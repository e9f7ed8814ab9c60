/** desk EMAIL ACTION …: what one of the lender's people does, and looks at, from a shell. */

import type { Config } from '../../config.ts'
import { releaseBill } from '../../credit/bills/index.ts'
import { readDelinquency } from '../../credit/lateness/index.ts'
import {
  cancelFailedPayout,
  deleteLoan,
  noteStandings,
  payAgain,
} from '../../credit/loans/index.ts'
import { sendRefundAgain } from '../../office/desk/index.ts'
import { deleteShare } from '../../partners/referrers/index.ts'
import { findOperator, requireRole } from '../../platform/access/index.ts'
import { acknowledgeAlert, readOpenAlerts } from '../../platform/alerts/index.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { type Action, done } from './desk-action.ts'
import { BORROWER_ACTIONS } from './desk-borrowers.ts'
import { DECISION_ACTIONS } from './desk-decisions.ts'
import { INVOICE_ACTIONS } from './desk-invoices.ts'
import { LIMIT_ACTIONS } from './desk-limits.ts'
import { PRODUCT_ACTIONS } from './desk-products.ts'
import { RECOLLECTION_ACTIONS } from './desk-recollection.ts'
import { SUSPENSE_ACTIONS } from './desk-suspense.ts'
import { SWITCH_ACTIONS } from './desk-switches.ts'
import { WRITE_OFF_ACTIONS } from './desk-write-offs.ts'
import { withHouse } from './with-house.ts'

const actions: Record<string, Action> = {
  alerts: {
    usage: 'alerts',
    words: 0,
    asks: 'viewer',
    run: async tx => {
      const alerts = await readOpenAlerts(tx)
      return alerts.map(({ id, raised_at, kind, subject_id, detail }) =>
        [id, raised_at.toISOString(), kind, subject_id, detail].join('\t'),
      )
    },
  },
  acknowledge: {
    usage: 'acknowledge ALERT_ID',
    words: 1,
    run: (tx, actor, [id]) => done(acknowledgeAlert(tx, actor, id!)),
  },
  ...SUSPENSE_ACTIONS,
  'pay-again': {
    usage: 'pay-again LOAN_ID',
    words: 1,
    run: (tx, actor, [id], { ports }) => done(payAgain(tx, actor, id!, ports.bank)),
  },
  'cancel-payout': {
    usage: 'cancel-payout LOAN_ID',
    words: 1,
    run: (tx, actor, [id]) => done(cancelFailedPayout(tx, actor, id!)),
  },
  'send-again': {
    usage: "send-again PAYMENT_ID 'REASON'",
    words: 2,
    run: (tx, actor, [id, reason]) => done(sendRefundAgain(tx, actor, id!, reason!)),
  },
  'release-bill': {
    usage: "release-bill BILL_ID 'REASON'",
    words: 2,
    run: (tx, actor, [id, reason]) => done(releaseBill(tx, actor, id!, reason!)),
  },
  ...LIMIT_ACTIONS,
  ...BORROWER_ACTIONS,
  ...INVOICE_ACTIONS,
  ...DECISION_ACTIONS,
  ...SWITCH_ACTIONS,
  ...PRODUCT_ACTIONS,
  ...WRITE_OFF_ACTIONS,
  ...RECOLLECTION_ACTIONS,
  late: {
    usage: 'late',
    words: 0,
    asks: 'viewer',
    run: async tx => {
      const buckets = await readDelinquency(tx)
      return buckets.map(({ bucket, loans, principal }) => `${bucket}\t${loans}\t${principal}`)
    },
  },
  'delete-loan': {
    usage: "delete-loan LOAN_ID 'REASON'",
    words: 2,
    run: async (tx, actor, [loan_id, reason]) => {
      await deleteLoan(tx, actor, loan_id!, reason!)
      return [`${loan_id}\tDELETED`]
    },
  },
  'delete-share': {
    usage: "delete-share SHARE_ID 'REASON'",
    words: 2,
    run: (tx, actor, [id, reason]) => done(deleteShare(tx, actor, id!, reason!)),
  },
}

/** The ways to call it. */
export const DESK_ACTIONS = Object.values(actions).map(({ usage }) => `desk EMAIL ${usage}`)

/** Whether these are arguments it understands. */
export function takesDesk([email = '', name = '', ...words]: string[]): boolean {
  const action = Object.hasOwn(actions, name) ? actions[name]! : null
  return email.includes('@') && action !== null && words.length === action.words
}

/**
 * Throws an Error for people when there is no such operator, `scope_missing` when his role is too
 * low, and what the action refuses.
 */
export async function deskCommand(config: Config, args: string[]): Promise<number> {
  const [email, name, ...words] = args
  const action = actions[name!]!
  const lines = await withHouse(config, async context => {
    const standings = (await action.learn?.(context, words)) ?? []
    return transaction(context.database, { partners: '*' }, async tx => {
      const operator = await findOperator(tx, email!)
      requireRole(operator, action.asks ?? 'reviewer')
      noteStandings(tx, standings)
      return action.run(tx, operator.id, words, context)
    })
  })
  for (const line of lines) process.stdout.write(`${line}\n`)
  return 0
}
