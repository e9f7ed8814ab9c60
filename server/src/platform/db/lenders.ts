/**
 * The versions of a live deployment's lender, as this process knows them. Every transaction
 * compares the revision, so that a version stored by one process applies in all of them at once.
 */
import type pg from 'pg'
import { assert } from '../kit/assert.ts'
import { bankOf } from '../kit/bank-of.ts'
import type { Day } from '../kit/dates.ts'
import { problem } from '../kit/problem.ts'
import { answered } from './answer-watch.ts'
import { type Lender, type LenderVersion, type Settings, withLender } from './settings.ts'

/** The versions that are neither replaced nor withdrawn, the oldest first. */
export const READ_VERSIONS = `
  select version from (
    select distinct on (in_force_from) in_force_from, version from lender_versions
    order by in_force_from, revision desc) newest
  where version is not null order by in_force_from`

export interface VersionRow {
  readonly version: LenderVersion
}

/** The version in force on a day; undefined before the first one. */
function versionOn(versions: readonly LenderVersion[], day: Day): LenderVersion | undefined {
  return versions.findLast(version => version.in_force_from <= day)
}

export class Lenders {
  /** The bank that this process is connected to, as `bankOf` names it. */
  readonly #bank: string
  #revision: bigint
  #versions: readonly LenderVersion[]

  /** `adapter` is the bank's that this process opens on `today`. */
  constructor(adapter: string, revision: bigint, versions: readonly LenderVersion[], today: Day) {
    this.#revision = revision
    this.#versions = versions
    const { lender, adapters } = this.#inForce(today)
    this.#bank = bankOf({ lender, adapters: { ...adapters, bank: adapter } })
  }

  get revision(): bigint {
    return this.#revision
  }

  /** Ignores what another transaction has already read. */
  learn(revision: bigint, versions: readonly LenderVersion[]): void {
    if (revision <= this.#revision) return
    this.#revision = revision
    this.#versions = versions
  }

  /**
   * The version in force on a day. Throws `not_ready` if it names another bank than the one that
   * this process is connected to, because an order must never reach two banks.
   */
  on(day: Day): LenderVersion {
    const version = this.#inForce(day)
    if (this.isConnected(day)) return version
    const detail =
      `The lender's bank is ${bankOf(version)}, and this process is connected to ` +
      `${this.#bank}: restart it.`
    throw problem('not_ready', detail)
  }

  /** Whether the bank of the version in force on a day is the one of this process. */
  isConnected(day: Day): boolean {
    return bankOf(this.#inForce(day)) === this.#bank
  }

  #inForce(day: Day): LenderVersion {
    const version = versionOn(this.#versions, day)
    assert(version, `a version of the lender is in force on ${day}`)
    return version
  }

  /** The lenders of versions that were in force earlier. */
  before(day: Day): Lender[] {
    const begun = this.#versions.filter(version => version.in_force_from <= day)
    return begun.slice(0, -1).map(version => version.lender)
  }
}

/** The settings of a business day. Reads the lender's versions if another process stored some. */
export async function settingsOn(
  client: pg.PoolClient,
  { settings, lenders }: { readonly settings: Settings; readonly lenders?: Lenders },
  revision: bigint | null,
  today: Day,
): Promise<Settings> {
  if (!lenders) return settings
  if (revision !== null && revision > lenders.revision) {
    const { rows } = await answered(client, client.query<VersionRow>(READ_VERSIONS))
    lenders.learn(
      revision,
      rows.map(row => row.version),
    )
  }
  const { lender } = lenders.on(today)
  return {
    ...withLender(settings, lender),
    lender_revision: lenders.revision,
    former_lenders: lenders.before(today),
  }
}
