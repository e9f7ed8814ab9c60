/** What the desk stops at once, and lets go on when a second person agrees. */
import { liftSwitch, readSwitches, type Switch, throwSwitch } from '../../money/payments/index.ts'
import { type Action, done } from './desk-action.ts'

export const SWITCH_ACTIONS: Record<string, Action> = {
  switches: {
    usage: 'switches',
    words: 0,
    asks: 'viewer',
    run: async tx => {
      const thrown = await readSwitches(tx)
      return thrown.map(({ kind, partner_id, thrown_at, by, reason }) =>
        [kind, partner_id ?? '', thrown_at.toISOString(), by, reason].join('\t'),
      )
    },
  },
  stop: {
    usage: 'stop payouts|collections|PARTNER_ID REASON',
    words: 2,
    run: (tx, actor, [what, reason]) => done(throwSwitch(tx, actor, switchOf(what!), reason!)),
  },
  resume: {
    usage: 'resume payouts|collections|PARTNER_ID',
    words: 1,
    run: (tx, actor, [what]) => done(liftSwitch(tx, actor, switchOf(what!))),
  },
}

function switchOf(what: string): Switch {
  const all = what === 'payouts' || what === 'collections'
  return all ? { kind: what, partner_id: null } : { kind: 'partner', partner_id: what }
}
