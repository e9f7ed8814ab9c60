/** What the desk does about money that nobody could place. */

import { dismissSuspense, matchSuspense, unmatchSuspense } from '../../credit/repayments/index.ts'
import {
  approveSuspenseLoss,
  proposeSuspenseLoss,
  rejectSuspenseLoss,
  sendBackSuspense,
} from '../../money/payments/index.ts'
import { type Action, done } from './desk-action.ts'

export const SUSPENSE_ACTIONS: Record<string, Action> = {
  match: {
    usage: 'match SUSPENSE_ID LOAN_BILL_OR_INSTALLMENT',
    words: 2,
    run: (tx, actor, [id, target]) => done(matchSuspense(tx, actor, id!, target!)),
  },
  unmatch: {
    usage: 'unmatch SUSPENSE_ID',
    words: 1,
    run: (tx, actor, [id]) => done(unmatchSuspense(tx, actor, id!)),
  },
  'send-back': {
    usage: 'send-back SUSPENSE_ID',
    words: 1,
    run: (tx, actor, [id]) => done(sendBackSuspense(tx, actor, id!)),
  },
  dismiss: {
    usage: 'dismiss SUSPENSE_ID',
    words: 1,
    run: (tx, actor, [id]) => done(dismissSuspense(tx, actor, id!)),
  },
  lose: {
    usage: "lose SUSPENSE_ID 'REASON'",
    words: 2,
    run: (tx, actor, [id, reason]) => done(proposeSuspenseLoss(tx, actor, id!, reason!)),
  },
  'approve-loss': {
    usage: 'approve-loss SUSPENSE_ID',
    words: 1,
    run: (tx, actor, [id]) => done(approveSuspenseLoss(tx, actor, id!)),
  },
  'reject-loss': {
    usage: "reject-loss SUSPENSE_ID 'REASON'",
    words: 2,
    run: (tx, actor, [id, reason]) => done(rejectSuspenseLoss(tx, actor, id!, reason!)),
  },
}
