/**
 * desk EMAIL ACTION …: performs back office actions on behalf of an operator, without a browser.
 * Some of them have no page in the console.
 */
import { readFileSync } from 'node:fs'
import { NewScorecard } from '@headroom/contract'
import { addScorecard, scorecardInForce } from '../../companies/credit-lines/index.ts'
import type { Config } from '../../config.ts'
import {
  activateSwitch,
  deactivateSwitch,
  readSwitches,
  type Switch,
} from '../../money/payments/index.ts'
import { deleteShare } from '../../partners/referrers/index.ts'
import {
  findOperator,
  INVOICE_REVIEWS,
  requireRole,
  setInvoiceReview,
} from '../../platform/access/index.ts'
import { readOpenAlerts } from '../../platform/alerts/index.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import { LENDER_ID, namedPartner } from '../../platform/kit/ids.ts'
import { withApp } from './with-app.ts'

interface Action {
  readonly usage: string
  readonly words: number
  readonly requires: 'viewer' | 'reviewer' | 'admin'
  /** Returns the lines to print. The operator acts in the transaction. */
  readonly run: (tx: Tx, words: string[]) => Promise<string[]>
}

const actions: Record<string, Action> = {
  alerts: {
    usage: 'alerts',
    words: 0,
    requires: 'viewer',
    run: async tx => {
      const alerts = await readOpenAlerts(tx)
      return alerts.map(({ id, raised_at, kind, subject_id, detail }) =>
        [id, raised_at.toISOString(), kind, subject_id, detail].join('\t'),
      )
    },
  },
  switches: {
    usage: 'switches',
    words: 0,
    requires: 'viewer',
    run: async tx => {
      const active = await readSwitches(tx)
      return active.map(({ kind, partner_id, thrown_at, by, reason }) =>
        [kind, namedPartner(partner_id) ?? '', thrown_at.toISOString(), by, reason].join('\t'),
      )
    },
  },
  stop: {
    usage: "stop payouts|collections|PARTNER_ID 'REASON'",
    words: 2,
    requires: 'reviewer',
    run: (tx, [what, reason]) => done(activateSwitch(tx, switchOf(what!), reason!)),
  },
  resume: {
    usage: 'resume payouts|collections|PARTNER_ID',
    words: 1,
    requires: 'reviewer',
    run: (tx, [what]) => done(deactivateSwitch(tx, switchOf(what!))),
  },
  scorecard: {
    usage: 'scorecard',
    words: 0,
    requires: 'viewer',
    run: async tx => {
      const { version, in_force_from, rules } = await scorecardInForce(tx)
      return [JSON.stringify({ version, in_force_from, reason: '', rules }, null, 2)]
    },
  },
  'add-scorecard': {
    usage: 'add-scorecard FILE',
    words: 1,
    requires: 'admin',
    run: (tx, [file]) => {
      const parsed = NewScorecard.safeParse(JSON.parse(readFileSync(file!, 'utf8')))
      if (!parsed.success) {
        throw new Error(
          parsed.error.issues.map(i => `${i.path.join('.')}: ${i.message}`).join('; '),
        )
      }
      return done(addScorecard(tx, parsed.data))
    },
  },
  'review-invoices': {
    usage: `review-invoices PARTNER_ID ${INVOICE_REVIEWS.join('|')}`,
    words: 2,
    requires: 'admin',
    run: (tx, [partner_id, which]) => {
      const found = INVOICE_REVIEWS.find(one => one === which)
      if (!found) throw new Error(`${which} is none of ${INVOICE_REVIEWS.join(', ')}`)
      return done(setInvoiceReview(tx, partner_id!, found))
    },
  },
  'delete-share': {
    usage: "delete-share SHARE_ID 'REASON'",
    words: 2,
    requires: 'reviewer',
    run: (tx, [id, reason]) => done(deleteShare(tx, id!, reason!)),
  },
}

function switchOf(what: string): Switch {
  const all = what === 'payouts' || what === 'collections'
  return all ? { kind: what, partner_id: LENDER_ID } : { kind: 'partner', partner_id: what }
}

async function done(work: Promise<unknown>): Promise<string[]> {
  await work
  return []
}

export const DESK_ACTIONS = Object.values(actions).map(({ usage }) => `desk EMAIL ${usage}`)

/** Whether the arguments have the form of a desk command; running it checks their values. */
export function isDeskCommand([email = '', name = '', ...words]: string[]): boolean {
  const action = Object.hasOwn(actions, name) ? actions[name]! : null
  return email.includes('@') && action !== null && words.length === action.words
}

/**
 * Performs the operator's action and prints the result. Throws an Error with a message for the user
 * when there is no such operator, `scope_missing` when the role is too low, and any refusal of the
 * action.
 */
export async function deskCommand(config: Config, args: string[]): Promise<number> {
  const [email, name, ...words] = args
  const { requires, run } = actions[name!]!
  const lines = await withApp(config, ({ database }) =>
    transaction(database, { partners: '*', actor: null }, async tx => {
      const operator = await findOperator(tx, email!)
      requireRole(operator, requires)
      return run(tx.as(operator.id), words)
    }),
  )
  for (const line of lines) process.stdout.write(`${line}\n`)
  return 0
}
