/** What the desk does about debtors: interest stands still by law, and runs again. */

import { resumeInterest, stopInterest } from '../../credit/recollection/index.ts'
import { day } from '../../platform/kit/dates.ts'
import { type Action, done } from './desk-action.ts'

export const RECOLLECTION_ACTIONS: Record<string, Action> = {
  'stop-interest': {
    usage: "stop-interest CASE_ID DAY 'REASON'",
    words: 3,
    run: (tx, actor, [case_id, on, reason]) =>
      done(stopInterest(tx, actor, { case_id: case_id!, on: day(on!), reason: reason! })),
  },
  'resume-interest': {
    usage: "resume-interest CASE_ID DAY 'REASON'",
    words: 3,
    run: (tx, actor, [case_id, on, reason]) =>
      done(resumeInterest(tx, actor, { case_id: case_id!, on: day(on!), reason: reason! })),
  },
}
