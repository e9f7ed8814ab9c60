/** What the desk does about limits: sets them by hand, and adds the scorecards that set them. */
import { readFileSync } from 'node:fs'
import { NewScorecard } from '@headroom/contract'
import {
  addScorecard,
  approveOverride,
  endOverride,
  overrideLimit,
  readOverrides,
  rejectOverride,
  scorecardInForce,
} from '../../companies/credit-lines/index.ts'
import { day } from '../../platform/kit/dates.ts'
import { fromDecimal } from '../../platform/kit/money.ts'
import { type Action, done } from './desk-action.ts'

const UNTIL = /^(\d{4}-\d{2}-\d{2}|open)$/

export const LIMIT_ACTIONS: Record<string, Action> = {
  limits: {
    usage: 'limits',
    words: 0,
    asks: 'viewer',
    run: async tx =>
      (await readOverrides(tx)).map(o =>
        [
          o.id,
          o.status,
          o.credit_line_id,
          o.pool_amount,
          o.until_on ?? 'open',
          o.email,
          o.reason,
        ].join('\t'),
      ),
  },
  'set-limit': {
    usage: "set-limit CREDIT_LINE_ID EUROS LAST_DAY|open 'REASON'",
    words: 4,
    run: async (tx, actor, [line_id, euros, until, reason]) => {
      const pool_amount = fromDecimal(euros!)
      if (pool_amount === null) throw new Error(`${euros} is no amount such as 80000 or 80000.50`)
      if (!UNTIL.test(until!)) throw new Error(`${until} is neither a day nor open`)
      const { id, status } = await overrideLimit(tx, actor, {
        credit_line_id: line_id!,
        pool_amount,
        until_on: until === 'open' ? null : day(until!),
        reason: reason!,
      })
      return [`${id}\t${status}`]
    },
  },
  'approve-limit': {
    usage: 'approve-limit OVERRIDE_ID',
    words: 1,
    run: (tx, actor, [id]) => done(approveOverride(tx, actor, id!)),
  },
  'reject-limit': {
    usage: "reject-limit OVERRIDE_ID 'REASON'",
    words: 2,
    run: (tx, actor, [id, reason]) => done(rejectOverride(tx, actor, id!, reason!)),
  },
  'end-limit': {
    usage: "end-limit OVERRIDE_ID 'REASON'",
    words: 2,
    run: (tx, actor, [id, reason]) => done(endOverride(tx, actor, id!, reason!)),
  },
  scorecard: {
    usage: 'scorecard',
    words: 0,
    asks: 'viewer',
    run: async tx => {
      const { version, in_force_from, rules } = await scorecardInForce(tx)
      return [JSON.stringify({ version, in_force_from, reason: '', rules }, null, 2)]
    },
  },
  'add-scorecard': {
    usage: 'add-scorecard FILE',
    words: 1,
    asks: 'admin',
    run: (tx, actor, [file]) => {
      const wish = NewScorecard.safeParse(JSON.parse(readFileSync(file!, 'utf8')))
      if (!wish.success) {
        throw new Error(wish.error.issues.map(i => `${i.path.join('.')}: ${i.message}`).join('; '))
      }
      return done(addScorecard(tx, actor, wish.data))
    },
  },
}
