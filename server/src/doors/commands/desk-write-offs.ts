/** What the desk does about loans given up for lost: one proposes, another one agrees. */

import {
  approveWriteOff,
  proposeWriteOff,
  readProposedWriteOffs,
  rejectWriteOff,
} from '../../credit/loans/index.ts'
import { day } from '../../platform/kit/dates.ts'
import { type Action, done } from './desk-action.ts'

export const WRITE_OFF_ACTIONS: Record<string, Action> = {
  'write-offs': {
    usage: 'write-offs',
    words: 0,
    asks: 'viewer',
    run: async tx => {
      const waiting = await readProposedWriteOffs(tx)
      return waiting.map(({ id, loan_id, written_off_on, principal, proposer, reason }) =>
        [id, loan_id, written_off_on, principal, proposer, reason].join('\t'),
      )
    },
  },
  'write-off': {
    usage: "write-off LOAN_ID DAY 'REASON'",
    words: 3,
    run: async (tx, actor, [loan_id, on, reason]) => {
      const wish = { loan_id: loan_id!, written_off_on: day(on!), reason: reason! }
      return [`${await proposeWriteOff(tx, actor, wish)}\tPROPOSED`]
    },
  },
  'approve-write-off': {
    usage: 'approve-write-off WRITE_OFF_ID',
    words: 1,
    run: (tx, actor, [id]) => done(approveWriteOff(tx, actor, id!)),
  },
  'reject-write-off': {
    usage: "reject-write-off WRITE_OFF_ID 'REASON'",
    words: 2,
    run: (tx, actor, [id, reason]) => done(rejectWriteOff(tx, actor, id!, reason!)),
  },
}
