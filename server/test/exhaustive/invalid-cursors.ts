/** Cursor keys that no list has issued: some nearly valid, some far from it. */
import fc from 'fast-check'
import { isUuid } from '../../src/platform/kit/ids.ts'

const KNOWN = [
  '',
  'x\ud800',
  '\0',
  'now',
  'infinity',
  'NaN',
  '1e5',
  '-0',
  '9'.repeat(18),
  '9'.repeat(19),
  '-'.repeat(36),
  'a'.repeat(36),
  `${'0'.repeat(8)}-${'0'.repeat(27)}`,
  '0000-01-01',
  '0001-01-01',
  '9999-12-31',
  '2026-02-31',
  '2026-00-10',
  '2026-01-01 BC',
  '2026-01-01 99:99:99+00',
  '2026-01-01 24:00:00+00',
  '2026-01-01 23:59:60+00',
  '2026-01-01 00:00:00+16',
  '2026-01-01 00:00:00+15:59',
  '2026-01-01 00:00:00-99:99',
  '0001-01-01 00:00:00+15',
  '9999-12-31 23:59:59-15',
  '2026-01-01 1.2.3:4+00',
]

const forms = [
  /^[0-9a-f-]{36}$/,
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  /^\d{4}-[01]\d-[0-3]\d$/,
  /^-?\d{1,20}$/,
  /^\d{4}-[01]\d-[0-3]\d [0-2]\d:[0-6]\d:[0-6]\d(\.\d{1,7})?[+-]\d{2}(:\d{2})?$/,
].map(form => fc.stringMatching(form))

export const forgedText = fc.oneof(
  fc.constantFrom(...KNOWN),
  ...forms,
  fc.string({ unit: 'binary', maxLength: 60 }),
)

/** A list's cursor with some values of its key replaced. */
export function forged(cursor: string): fc.Arbitrary<string> {
  // The event feed's cursor is an event ID.
  if (isUuid(cursor)) return forgedText
  const [list, back, ...key] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
  const value = fc.oneof({ weight: 9, arbitrary: forgedText }, fc.jsonValue())
  const parts = key.map(own => fc.oneof({ weight: 3, arbitrary: value }, fc.constant(own)))
  return fc.tuple(...parts).map(values => encoded([list, back, ...values]))
}

export function encoded(place: unknown[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}
