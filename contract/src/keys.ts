/** Keys: the credentials of a partner's programs. */
import { z } from 'zod'
import { operations } from './define.ts'
import { scopes } from './scopes.ts'
import { Id, Moment, page, pageQuery, text } from './shared.ts'

export const ACTORS = ['human', 'agent'] as const
export const VERSIONS = ['2026-07', '2023-09'] as const
export type Version = (typeof VERSIONS)[number]
export const VERSION_DEFAULT: Version = '2026-07'

/** `caller` is the identity that the key proves. Rotating the key does not change the caller. */
const keyFields = {
  id: Id,
  name: z.string(),
  prefix: z.string(),
  caller: z.object({ id: Id, name: z.string() }),
  actor: z.enum(ACTORS),
  scopes: z.array(z.enum(scopes)).nullable(),
  version: z.enum(VERSIONS),
  created_at: Moment,
  last_used_at: Moment.nullable(),
  expires_at: Moment.nullable(),
  revoked_at: Moment.nullable(),
}

export const Key = z.object(keyFields).meta({ id: 'Key' })
export type Key = z.infer<typeof Key>

/** The key itself is only returned on creation and rotation. */
export const NewKey = z.object({ ...keyFields, key: z.string() }).meta({ id: 'NewKey' })
export type NewKey = z.infer<typeof NewKey>

const KeyParams = z.object({ key_id: Id })

export const CreateKeyBody = z.strictObject({
  name: text(100),
  actor: z.enum(ACTORS),
  scopes: z.array(z.enum(scopes)).min(1).max(scopes.length).nullish(),
  version: z.enum(VERSIONS).default(VERSION_DEFAULT),
})

export const keyOperations = operations({
  listKeys: {
    method: 'GET',
    path: '/keys',
    summary: 'List keys',
    scope: 'keys:read',
    gated: false,
    success: 200,
    query: z.strictObject(pageQuery),
    answer: page(Key),
    problems: [],
  },
  createKey: {
    method: 'POST',
    path: '/keys',
    summary: 'Create a key',
    description:
      'Without scopes it may do all that the key that creates it may do. The key is shown once.',
    scope: 'keys:write',
    gated: true,
    success: 201,
    body: CreateKeyBody,
    answer: NewKey,
    shown_once: ['key'],
    problems: [],
  },
  rotateKey: {
    method: 'POST',
    path: '/key/{key_id}/rotate',
    summary: 'Replace a key',
    description:
      'The old key stays valid for overlap_hours, so that nothing stops meanwhile. Only keys ' +
      'whose scopes are part of your own.',
    scope: 'keys:write',
    gated: true,
    success: 201,
    params: KeyParams,
    body: z.strictObject({ overlap_hours: z.int().min(0).max(168).default(24) }),
    body_optional: true,
    answer: NewKey,
    shown_once: ['key'],
    problems: ['state_conflict'],
  },
  revokeKey: {
    method: 'POST',
    path: '/key/{key_id}/revoke',
    summary: 'Revoke a key at once',
    description: 'Only keys whose scopes are part of your own.',
    scope: 'keys:write',
    gated: true,
    success: 200,
    params: KeyParams,
    answer: Key,
    problems: [],
  },
})
