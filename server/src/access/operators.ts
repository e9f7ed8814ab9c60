/** Operators: the lender's own people, who sign in with a password. */
import { hash } from '@node-rs/argon2'
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { randomToken } from '../kit/crypto.ts'

export type OperatorRole = 'viewer' | 'reviewer' | 'admin'

export interface NewOperator {
  readonly operator_id: string
  readonly email: string
  /** Shown this once; only its hash is kept. */
  readonly password: string
}

/** NIST SP 800-63B, 3.1.1.2: at least 15 characters where a password is the only factor. */
const PASSWORD_MIN = 15

/**
 * Creates an operator. Without `password` a random one is made. Throws an Error for people when
 * the e-mail is taken or malformed, or the password too short.
 */
export async function createOperator(
  tx: Tx,
  wish: { readonly email: string; readonly password?: string; readonly role?: OperatorRole },
): Promise<NewOperator> {
  const email = wish.email.trim().toLowerCase()
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new Error(`${wish.email} is not an e-mail address`)
  const password = wish.password ?? randomToken(18)
  if (password.length < PASSWORD_MIN) {
    throw new Error(`a password has at least ${PASSWORD_MIN} characters`)
  }
  const operator_id = tx.newId()
  const inserted = await tx.run(sql`
    insert into operators (id, email, password_hash, role, created_at)
    values (${operator_id}, ${email}, ${await hash(password)}, ${wish.role ?? 'admin'}, now())
    on conflict (email) do nothing`)
  if (inserted === 0) throw new Error(`there is an operator ${email} already`)
  return { operator_id, email, password }
}
