/** Sessions: signing in to the console, and the signed-in user. */
import { z } from 'zod'
import { Id, Moment, text } from '../shared.ts'
import { adminTable, ROLES } from './define.ts'

/** An RFC 6238 one-time password: six digits, changing every thirty seconds. */
const Code = z.string().regex(/^\d{6}$/, 'is six digits')

/** `totp` is `needed` if the deployment requires a second factor that is not set up yet. */
export const Session = z
  .object({
    operator: z.object({ id: Id, email: z.string(), role: z.enum(ROLES) }),
    /** The only partner whose data the user sees; null for operators of the lender. */
    partner: z.object({ id: Id, name: z.string() }).nullable(),
    totp: z.enum(['off', 'on', 'needed']),
    /** Sent as X-CSRF-Token with every write. */
    csrf_token: z.string(),
    mode: z.enum(['sandbox', 'live']),
    /** Whether operators enter companies, and review them in the companies' files. */
    enters_companies: z.boolean(),
    reviews_companies: z.boolean(),
    expires_at: Moment,
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

export const sessionOperations = adminTable({
  signIn: {
    method: 'POST',
    path: '/admin/session',
    summary: 'Sign in',
    description: 'Sets a cookie that scripts cannot read. `code` is asked for once it is set up.',
    requires: 'nothing',
    success: 201,
    body: z.strictObject({ email: text(320), password: text(1000), code: Code.nullish() }),
    answer: Session,
    problems: ['sign_in_refused', 'code_required', 'rate_limited'],
  },
  getSession: {
    method: 'GET',
    path: '/admin/session',
    summary: 'Who has signed in',
    requires: 'session',
    success: 200,
    answer: Session,
    problems: [],
  },
  signOut: {
    method: 'DELETE',
    path: '/admin/session',
    summary: 'Sign out',
    requires: 'session',
    success: 204,
    answer: z.null(),
    problems: [],
  },
  startTotp: {
    method: 'POST',
    path: '/admin/totp',
    summary: 'Set up a second factor',
    description:
      'Answers a secret for an authenticator. It counts once a code of it was confirmed.',
    requires: 'session',
    success: 201,
    answer: z.object({ secret: z.string(), address: z.string() }),
    problems: ['state_conflict'],
  },
  confirmTotp: {
    method: 'POST',
    path: '/admin/totp/confirm',
    summary: 'Confirm the second factor by a code of it',
    requires: 'session',
    success: 200,
    body: z.strictObject({ code: Code }),
    answer: Session,
    problems: ['state_conflict', 'code_refused'],
  },
  changePassword: {
    method: 'POST',
    path: '/admin/password',
    summary: 'Change the own password',
    description: 'Ends all other sessions of the person.',
    requires: 'session',
    success: 204,
    body: z.strictObject({ password: text(1000), new_password: text(1000).min(15) }),
    answer: z.null(),
    problems: ['sign_in_refused', 'rate_limited'],
  },
})
