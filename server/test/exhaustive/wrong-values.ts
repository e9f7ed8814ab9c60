/** Types and values from which the tests build requests with several faults. */
import type { OperationId } from '@headroom/contract'
import type { TestApp } from '../support/app.ts'
import type { World } from './schema-values.ts'

export interface WrongRequest {
  readonly id: OperationId
  readonly path?: Record<string, unknown>
  readonly right: object
  /** The invalid values by path, e.g. `periods.0.to`; undefined removes the field. */
  readonly wrong: Record<string, unknown>
}

export interface About {
  readonly app: TestApp
  readonly world: World
  readonly day: string
}

export const SIREN = { identifier: '404833048', identifier_type: 'siren' }
/** Invalid because of its check digit. */
export const NUMBER = '404833047'
export const IBAN = 'FR7630006000011234567890188'
export const UNKNOWN_ID = '01890000-0000-7000-8000-00000000dead'
export const NO_PDF = 'AAAA'
export const PAST = '1999-12-31'
export const FUTURE = '2199-12-31'

export const first = (world: World, name: string) => String(world[name]![0])
