/** Kill switches and alerts before the lender's people. */
import type { AdminHandlers } from '../../context.ts'
import {
  liftSwitch,
  readHeld,
  readSwitches,
  type Switch,
  throwSwitch,
} from '../../money/payments/index.ts'
import { acknowledgeAlert, readOpenAlerts } from '../../platform/alerts/index.ts'
import { toWire } from '../../platform/kit/money.ts'
import { type InvalidParam, invalid } from '../../platform/kit/problem.ts'

type Served =
  | 'listSwitches'
  | 'getHeldPayments'
  | 'throwSwitch'
  | 'liftSwitch'
  | 'listAlerts'
  | 'acknowledgeAlert'

type Named = { readonly kind: Switch['kind']; readonly partner_id?: string | null }

/** A partner without the switch of one, or the other way round; silent where no kind is told. */
function switchFaults({ kind, partner_id }: Partial<Named>): InvalidParam[] {
  if (kind === undefined) return []
  if (kind !== 'partner') {
    return partner_id ? [{ name: 'partner_id', reason: `does not go with ${kind}` }] : []
  }
  return partner_id ? [] : [{ name: 'partner_id', reason: 'is required for one partner' }]
}

/** Throws `request_invalid`. */
function switchOf(named: Named): Switch {
  const faults = switchFaults(named)
  if (faults.length > 0) throw invalid(faults)
  const { kind, partner_id = null } = named
  return { kind, partner_id } as Switch
}

export const switchWork: Pick<AdminHandlers, Served> = {
  listSwitches: async tx => {
    const thrown = await readSwitches(tx)
    return {
      data: thrown.map(({ id, kind, partner_id, reason, by, thrown_at }) => ({
        id,
        partner_id,
        reason,
        thrown_by: by,
        kind: kind as Switch['kind'],
        thrown_at: thrown_at.toISOString(),
      })),
    }
  },

  getHeldPayments: {
    inspect: async (_context, { query }) => switchFaults(query ?? {}),
    handle: async (tx, { query }) => {
      const { payments, amount } = await readHeld(tx, switchOf(query))
      return { payments, amount: toWire(amount) }
    },
  },

  throwSwitch: {
    inspect: async (_context, { body }) => switchFaults(body ?? {}),
    handle: async (tx, { person, body }) => {
      await throwSwitch(tx, person.operator_id, switchOf(body), body.reason)
      return null
    },
  },

  liftSwitch: {
    inspect: async (_context, { body }) => switchFaults(body ?? {}),
    handle: async (tx, { person, body }) => {
      await liftSwitch(tx, person.operator_id, switchOf(body))
      return null
    },
  },

  listAlerts: async tx => {
    const alerts = await readOpenAlerts(tx)
    return {
      data: alerts.map(({ id, kind, subject_id, detail, raised_at }) => ({
        id,
        kind,
        subject_id,
        detail,
        raised_at: raised_at.toISOString(),
      })),
    }
  },

  acknowledgeAlert: async (tx, { person, params }) => {
    await acknowledgeAlert(tx, person.operator_id, params.alert_id)
    return null
  },
}
