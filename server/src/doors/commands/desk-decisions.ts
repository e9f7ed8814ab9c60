/** What the desk does with decisions of agents: reads those that wait, approves, rejects. */
import type { Decision } from '@headroom/contract'
import { pageInWait, reviewForLender } from '../../partners/decisions/index.ts'
import type { Action } from './desk-action.ts'

/** As many as somebody reads in one sitting. */
const AT_ONCE = { path: '', page_size: 200 }

export const DECISION_ACTIONS: Record<string, Action> = {
  decisions: {
    usage: 'decisions',
    words: 0,
    asks: 'viewer',
    run: async tx => (await pageInWait(tx, AT_ONCE)).data.flatMap(linesOf),
  },
  'approve-decision': review('approve'),
  'reject-decision': review('reject'),
}

function review(trigger: 'approve' | 'reject'): Action {
  return {
    usage: `${trigger}-decision DECISION_ID 'COMMENT'`,
    words: 2,
    run: async (tx, actor, [id, comment]) => {
      const done = await reviewForLender(tx, actor, id!, { trigger, comment: comment || null })
      return [`${done.id}\t${done.status}`]
    },
  }
}

/** A line for the decision, one for its rationale, one for each step. */
function linesOf(decision: Decision & { readonly partner: string }): string[] {
  const { id, partner, proposer, expires_at, title, rationale, operations } = decision
  return [
    [id, shown(partner), shown(proposer.name), expires_at, shown(title)].join('\t'),
    `\t${shown(rationale)}`,
    ...operations.map(({ step, method, path, body }) =>
      ['', step, method, shown(path), body === null ? '' : shown(body)].join('\t'),
    ),
  ]
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** As JSON in visible characters: what an agent wrote must not pass for another line. */
function shown(value: unknown): string {
  return JSON.stringify(value).replace(UNSEEN, character =>
    character
      .split('')
      .map(unit => `\\u${hex(unit)}`)
      .join(''),
  )
}

const hex = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, '0')
