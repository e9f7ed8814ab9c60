/** The second factor: time-based one-time passwords (RFC 6238), each accepted once. */
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import type { Tx } from '../db/transaction.ts'
import { decrypt, encrypt, hexKey } from '../kit/crypto.ts'
import { problem } from '../kit/problem.ts'
import { setTotpSecret, useTotpStep } from './session-store.ts'

const STEP_SECONDS = 30
const SECRET_BYTES = 20
/** Tolerates clocks half a minute off. */
const STEPS_OFF_MAX = 1

const sealedFor = (operator_id: string) => `operators.totp_secret ${operator_id}`

function totpOf(email: string, base32: string): TOTP {
  const secret = Secret.fromBase32(base32)
  return new TOTP({ issuer: 'Headroom', label: email, secret, period: STEP_SECONDS })
}

/**
 * Creates a secret, in base32 and as the URI for authenticator apps. Throws `state_conflict` when
 * the operator already has a confirmed one.
 */
export async function startTotp(
  tx: Tx,
  { operator_id, email }: { operator_id: string; email: string },
): Promise<{ secret: string; address: string }> {
  const secret = new Secret({ size: SECRET_BYTES }).base32
  const key = hexKey(tx.settings.secret)
  const sealed = encrypt(secret, key, sealedFor(operator_id))
  if (!(await setTotpSecret(tx, operator_id, sealed))) {
    throw problem('state_conflict', 'A second factor is set up already.')
  }
  return { secret, address: totpOf(email, secret).toString() }
}

/**
 * Consumes a code for the operator's secret at real time `now`; the first correct one confirms the
 * secret. Returns whether it was correct and unused. Throws `state_conflict` without a secret.
 */
export async function consumeCode(
  tx: Tx,
  operator_id: string,
  code: string,
  now: Date = new Date(),
): Promise<boolean> {
  const { email, totp_secret } = await tx.one(sql<{ email: string; totp_secret: string | null }>`
    select o.email, s.totp_secret from operators o
    join operator_secrets s on s.operator_id = o.id where o.id = ${operator_id}`)
  if (totp_secret === null) throw problem('state_conflict', 'There is no secret to confirm.')
  const key = hexKey(tx.settings.secret)
  const totp = totpOf(email, decrypt(totp_secret, key, sealedFor(operator_id)))
  const off = totp.validate({ token: code, timestamp: now.getTime(), window: STEPS_OFF_MAX })
  if (off === null) return false
  const step = Math.floor(now.getTime() / 1000 / STEP_SECONDS) + off
  return useTotpStep(tx, operator_id, { sealed: totp_secret, step })
}
