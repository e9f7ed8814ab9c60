/** Handlers of sessions, second factors and password changes. */
import type { Session } from '@headroom/contract'
import type { Context } from '../../context.ts'
import { type AdminHandlers, Reply } from '../../context.ts'
import { assert } from '../kit/assert.ts'
import { storedPartner } from '../kit/ids.ts'
import { problem } from '../kit/problem.ts'
import { deviceCookie, deviceIn } from './device-cookie.ts'
import { networkOf } from './network.ts'
import { sessionCookie } from './session-cookie.ts'
import { endSessions } from './session-store.ts'
import { csrfToken, findSession, OPEN_HOURS_MAX, type SignedIn } from './sessions.ts'
import { changePassword, signIn } from './sign-in.ts'
import { recordAudit } from './store-audit.ts'
import { consumeCode, startTotp } from './totp.ts'

type Served = 'signIn' | 'getSession' | 'signOut' | 'startTotp' | 'confirmTotp' | 'changePassword'

function sessionView({ config, database, ports }: Context, person: SignedIn): Session {
  const { operator_id: id, email, role, partner_id, partner_name } = person
  return {
    operator: { id, email, role },
    partner: partner_id === null ? null : { id: partner_id, name: partner_name! },
    totp: totpOf(config.mode, person),
    csrf_token: csrfToken(database.settings.secret, person.session_id),
    mode: config.mode,
    enters_companies: !ports.registry.answers_at_once || ports.compliance.is_decided_in_files,
    reviews_companies: ports.compliance.is_decided_in_files,
    expires_at: person.expires_at.toISOString(),
  }
}

const totpOf = (mode: Context['config']['mode'], { totp }: SignedIn) =>
  totp ? 'on' : mode === 'live' ? 'needed' : 'off'

export const sessionHandlers: Pick<AdminHandlers, Served> = {
  signIn: {
    orchestrate: async (context, { body, address, cookies }) => {
      const { config, database } = context
      const device = deviceIn(config, database.settings.secret, cookies)
      const token = await signIn(database, body, { network: networkOf(address), device })
      const person = await findSession(database, token)
      assert(person, 'the session was just opened')
      const session = sessionCookie(config, token, OPEN_HOURS_MAX * 3600)
      const known = deviceCookie(config, database.settings.secret, device, person.operator_id)
      return new Reply(sessionView(context, person), {
        headers: { 'set-cookie': [session, known] },
      })
    },
  },

  getSession: async (_tx, { person }, context) => sessionView(context, person),

  signOut: async (tx, { person }, context) => {
    await endSessions(tx, { id: person.session_id })
    const cookie = sessionCookie(context.config, '', 0)
    return new Reply(null, { headers: { 'set-cookie': cookie } })
  },

  startTotp: (tx, { person }) => startTotp(tx, person),

  confirmTotp: async (tx, { person, body }, context) => {
    const { operator_id: id } = person
    const partner_id = storedPartner(person.partner_id)
    if (!(await consumeCode(tx, id, body.code))) throw problem('code_refused')
    const what = { resource: 'second_factor', resource_id: id, partner_id }
    await recordAudit(tx, { act: 'confirm', ...what })
    return sessionView(context, { ...person, totp: true })
  },

  changePassword: {
    orchestrate: async ({ database }, { person, body, address }) => {
      await changePassword(database, person, body, address)
      return null
    },
  },
}
