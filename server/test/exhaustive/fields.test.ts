/**
 * Every request field of the public record is accepted, and every value of its enums works or is
 * declined with a reason. Generated from the record's own schemas.
 */
import { type OperationId, operations } from '@headroom/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { hasRecord, recordedBody, recordedOperations, recordFaults } from '../support/record.ts'
import { DECLINED_VALUES } from './declined-values.ts'
import { makingOf, type Sample } from './record-making.ts'
import { samplesOf } from './record-samples.ts'
import { type Making, type Variant, variantsOf } from './record-variants.ts'
import { fire } from './world.ts'

interface Asking {
  readonly sample: Sample
  readonly making: Making
}

/** The number of requests sent concurrently. */
const VOLLEY = 8

const requested = hasRecord ? recordedOperations.filter(id => recordedBody(id) !== null) : []

describe.skipIf(!hasRecord)('the public record (skipped if its file is missing)', () => {
  let app: TestApp
  let samples: Partial<Record<OperationId, Sample>>

  beforeAll(async () => {
    // No worker, because the contracts of hundreds of loans are not under test.
    app = await testApp({ work: false })
    samples = await samplesOf(app)
  })

  const variantsIn = (id: OperationId, making: Making, body: object): Variant[] =>
    variantsOf(recordedBody(id)!, body, making)

  /** The outcome: `accepted`, `DECLINED` with a denial code, or the text of a refusal. */
  async function outcomeOf(id: OperationId, asking: Asking, n: number, at: string) {
    const { path = {}, body } = await asking.sample.make(at)
    const { value } = variantsIn(id, asking.making, body)[n]!
    const address = operations[id].path.replace(/\{(\w+)\}/g, (_, name: string) => path[name]!)
    const request = { id, method: operations[id].method, address, body: JSON.stringify(value) }
    const { status, text } = await fire(app, app.key, request)
    const answer = text ? JSON.parse(text) : null
    if (status < 300) {
      expect(recordFaults(id, status, answer)).toEqual([])
      return answer?.denial_reason ? `DECLINED ${answer.denial_reason}` : 'accepted'
    }
    const faults = (answer.invalid_params ?? []).map((p: { name: string; reason: string }) =>
      [p.name, p.reason].join(' '),
    )
    return `${status} ${answer.code}: ${faults.join('; ') || answer.detail}`
  }

  test.each(requested)(
    '%s',
    async id => {
      const sample = samples[id]
      expect(sample, `a body for ${id}`).toBeDefined()
      const asking = { sample: sample!, making: await makingOf(sample!) }
      const variants = variantsIn(id, asking.making, (await sample!.make('')).body)
      const found: Record<string, string> = {}
      for (let n = 0; n < variants.length; n += VOLLEY) {
        const volley = variants.slice(n, n + VOLLEY)
        const outcomes = await Promise.all(
          volley.map(({ at }, beside) => outcomeOf(id, asking, n + beside, at)),
        )
        for (const [at, outcome] of outcomes.entries()) {
          if (outcome !== 'accepted') found[volley[at]!.at] = outcome
        }
      }
      const declined = DECLINED_VALUES[id] ?? []
      const meant = ([at, outcome]: [string, string]) =>
        declined.some(([where, why]) => where.test(at) && why.test(outcome))
      const entries = Object.entries(found)
      expect(Object.fromEntries(entries.filter(entry => !meant(entry)))).toEqual({})
      const stale = declined.filter(([where]) => !entries.some(([at]) => where.test(at)))
      expect(stale.map(String)).toEqual([])
    },
    240_000,
  )
})
