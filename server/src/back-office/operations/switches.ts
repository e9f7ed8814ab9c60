/** Back office: kill switches and alerts. */
import type { AdminHandlers, Validation } from '../../context.ts'
import {
  activateSwitch,
  deactivateSwitch,
  readHeldPayments,
  readSwitches,
  type Switch,
} from '../../money/payments/index.ts'
import { acknowledgeAlert, readOpenAlerts } from '../../platform/alerts/index.ts'
import { namedPartner, storedPartner } from '../../platform/kit/ids.ts'
import { toWire } from '../../platform/kit/money.ts'

type Served =
  | 'listSwitches'
  | 'getHeldPayments'
  | 'throwSwitch'
  | 'liftSwitch'
  | 'listAlerts'
  | 'acknowledgeAlert'

type Named = { readonly kind: Switch['kind']; readonly partner_id?: string | null }

/** Only the switch of kind `partner` takes a partner_id. The schema reports a missing kind. */
function checkSwitch({ kind, partner_id = null }: Partial<Named>): Validation<Switch> {
  const wrong = (reason: string) => ({ faults: [{ name: 'partner_id', reason }] })
  if (kind === undefined) return { faults: [] }
  if (kind === 'partner' && !partner_id) return wrong('is required for one partner')
  if (kind !== 'partner' && partner_id) return wrong(`does not go with ${kind}`)
  return { faults: [], meaning: { kind, partner_id: storedPartner(partner_id) } as Switch }
}

export const switchWork: Pick<AdminHandlers, Served> = {
  listSwitches: async tx => {
    const active = await readSwitches(tx)
    return {
      data: active.map(({ id, kind, partner_id, reason, by, thrown_at }) => ({
        id,
        partner_id: namedPartner(partner_id),
        reason,
        thrown_by: by,
        kind: kind as Switch['kind'],
        thrown_at: thrown_at.toISOString(),
      })),
    }
  },

  getHeldPayments: {
    check: (_tx, { query }) => checkSwitch(query),
    handle: async (tx, { meaning }) => {
      const { payments, amount } = await readHeldPayments(tx, meaning)
      return { payments, amount: toWire(amount) }
    },
  },

  throwSwitch: {
    check: (_tx, { body }) => checkSwitch(body),
    handle: async (tx, { body, meaning }) => {
      await activateSwitch(tx, meaning, body.reason)
      return null
    },
  },

  liftSwitch: {
    check: (_tx, { body }) => checkSwitch(body),
    handle: async (tx, { meaning }) => {
      await deactivateSwitch(tx, meaning)
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

  acknowledgeAlert: async (tx, { params }) => {
    await acknowledgeAlert(tx, params.alert_id)
    return null
  },
}
