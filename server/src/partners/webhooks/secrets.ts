/** Creates signing secrets and encrypts them, bound to their webhook. */
import { randomBytes } from 'node:crypto'
import type { Settings } from '../../platform/db/settings.ts'
import { decrypt, encrypt, hexKey } from '../../platform/kit/crypto.ts'

const SECRET_BYTES = 32

/** A new secret in the format of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

export function sealSecret(settings: Settings, webhook_id: string, secret: string): string {
  return encrypt(secret, hexKey(settings.secret), contextOf(webhook_id))
}

/** Decrypts a secret; throws if it belongs to another webhook or deployment. */
export function openSecret(settings: Settings, webhook_id: string, sealed: string): string {
  return decrypt(sealed, hexKey(settings.secret), contextOf(webhook_id))
}

function contextOf(webhook_id: string): string {
  return `webhooks.secret:${webhook_id}`
}
