/** Kill switches and alerts before the lender's people. */
import { acknowledgeAlert, readOpenAlerts } from '../alerts/index.ts'
import type { AdminHandlers } from '../context.ts'
import { invalid } from '../kit/problem.ts'
import { liftSwitch, readSwitches, type Switch, throwSwitch } from '../payments/index.ts'

type Served = 'listSwitches' | 'throwSwitch' | 'liftSwitch' | 'listAlerts' | 'acknowledgeAlert'

/** Throws `request_invalid` for a partner without the switch of one, or the other way round. */
function switchOf({ kind, partner_id }: { kind: Switch['kind']; partner_id?: string | null }) {
  if (kind === 'partner') {
    if (!partner_id) throw invalid({ name: 'partner_id', reason: 'is required for one partner' })
    return { kind, partner_id }
  }
  if (partner_id) throw invalid({ name: 'partner_id', reason: `does not go with ${kind}` })
  return { kind, partner_id: null }
}

export const switchWork: Pick<AdminHandlers, Served> = {
  listSwitches: async tx => {
    const thrown = await readSwitches(tx)
    return {
      data: thrown.map(({ id, kind, partner_id, reason, thrown_by, thrown_at }) => ({
        ...{ id, partner_id, reason, thrown_by, kind: kind as Switch['kind'] },
        thrown_at: thrown_at.toISOString(),
      })),
    }
  },

  throwSwitch: async (tx, { person, body }) => {
    await throwSwitch(tx, person.operator_id, switchOf(body), body.reason)
    return null
  },

  liftSwitch: async (tx, { person, body }) => {
    await liftSwitch(tx, person.operator_id, switchOf(body))
    return null
  },

  listAlerts: async tx => {
    const alerts = await readOpenAlerts(tx)
    return {
      data: alerts.map(({ id, kind, subject_id, detail, raised_at }) => ({
        ...{ id, kind, subject_id, detail },
        raised_at: raised_at.toISOString(),
      })),
    }
  },

  acknowledgeAlert: async (tx, { params }) => {
    await acknowledgeAlert(tx, params.alert_id)
    return null
  },
}
