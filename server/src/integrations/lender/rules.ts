/** Decides which versions of the lender's file are stored, and what must not change. Pure. */
import type { AdapterNames, Lender } from '../../platform/db/settings.ts'
import { bankOf } from '../../platform/kit/bank-of.ts'
import type { Day } from '../../platform/kit/dates.ts'
import type { FileVersion } from './lender-file.ts'

/** The newest row of a day, unless it was withdrawn. */
export interface StoredVersion {
  readonly in_force_from: Day
  readonly hash: string
  readonly adapters: AdapterNames
  readonly lender: Pick<Lender, 'collection_iban' | 'funding_iban'>
}

export interface Change {
  /** Each says what to do. Nothing is stored if there are any. */
  readonly faults: readonly string[]
  /** New or changed versions. */
  readonly store: readonly FileVersion[]
  /** Versions that were stored for a later day and are not in the file any more. */
  readonly withdraw: readonly Day[]
  /** Set if another bank is in force than before, or other accounts. */
  readonly bank: { readonly from: string; readonly to: string } | null
}

/**
 * Compares a file's versions with the stored ones; `withdrawn` are the days that it takes back. A
 * version that was in force never changes, and none begins in the past, so that the history says
 * who lent on each day.
 */
export function planChange(
  stored: readonly StoredVersion[],
  file: readonly FileVersion[],
  today: Day,
  withdrawn: readonly Day[] = [],
): Change {
  const known = new Map(stored.map(version => [version.in_force_from, version]))
  const days = new Set(file.map(version => version.in_force_from))
  const store = file.filter(version => known.get(version.in_force_from)?.hash !== version.hash)
  const gone = stored.filter(version => !days.has(version.in_force_from))
  const was = inForce(stored, today)
  const is = inForce(file, today)
  const faults = [
    ...changedHistory(known, store, gone, today),
    ...(stored.length > 0 ? addedHistory(known, store, today) : []),
    ...(is ? [] : [`versions: none is in force on ${today}: add one from ${today} on or earlier`]),
    ...goneVersions(gone, withdrawn, today),
    ...laterBanks(file, today),
    ...lostCards(file),
    ...lostMandates(file),
  ]
  const from = was && bankOf(was)
  const to = is && bankOf(is)
  return {
    faults,
    store: faults.length > 0 ? [] : store,
    withdraw: faults.length > 0 ? [] : gone.map(version => version.in_force_from),
    bank: from && to && from !== to ? { from, to } : null,
  }
}

function inForce<V extends { readonly in_force_from: Day }>(
  versions: readonly V[],
  today: Day,
): V | undefined {
  return versions.findLast(version => version.in_force_from <= today)
}

function changedHistory(
  known: ReadonlyMap<Day, StoredVersion>,
  store: readonly FileVersion[],
  gone: readonly StoredVersion[],
  today: Day,
): string[] {
  const changed = [...store.filter(version => known.has(version.in_force_from)), ...gone]
  return changed
    .map(version => version.in_force_from)
    .filter(from => from <= today)
    .map(
      from =>
        `versions: the one from ${from} has been in force and is not what it was: ` +
        `restore it as stored, and add a version from a later day`,
    )
}

function addedHistory(
  known: ReadonlyMap<Day, StoredVersion>,
  store: readonly FileVersion[],
  today: Day,
): string[] {
  return store
    .filter(({ in_force_from }) => in_force_from < today && !known.has(in_force_from))
    .map(
      ({ in_force_from }) =>
        `versions: the one from ${in_force_from} is new and begins in the past: ` +
        `let it begin on ${today} or later`,
    )
}

/** A version of a later day does not disappear with an old or shortened file. */
function goneVersions(
  gone: readonly StoredVersion[],
  withdrawn: readonly Day[],
  today: Day,
): string[] {
  return gone
    .map(version => version.in_force_from)
    .filter(from => from > today && !withdrawn.includes(from))
    .map(
      from =>
        `versions: the one from ${from} is stored and not in this file: ` +
        'add it again, or name its day in "withdrawn"',
    )
}

/** The bank changes only at a start, when it is known that no order is open at the old one. */
function laterBanks(file: readonly FileVersion[], today: Day): string[] {
  return file.flatMap((version, index) => {
    const { in_force_from } = version
    const before = file[index - 1]
    if (in_force_from <= today || !before || bankOf(before) === bankOf(version)) return []
    return [
      `versions: the one from ${in_force_from} changes the bank or its accounts on a later day: ` +
        'add it on its day, and start the service with it then',
    ]
  })
}

/** Cards stay with the processor that issued them, and what they spend is paid to it. */
function lostCards(file: readonly FileVersion[]): string[] {
  return file.flatMap(({ in_force_from, adapters }, index) => {
    const before = file[index - 1]?.adapters.cards ?? 'none'
    if (before === 'none' || before === adapters.cards) return []
    return [
      `versions: the one from ${in_force_from} leaves the card processor ${before}, which issued ` +
        `cards: keep ${before}, and cancel the cards`,
    ]
  })
}

/** Mandates name their creditor, and no mandate is amended. */
function lostMandates(file: readonly FileVersion[]): string[] {
  return file.flatMap(({ in_force_from, lender }, index) => {
    const before = file[index - 1]?.lender.creditor_identifier
    if (!before || before === lender.creditor_identifier) return []
    return [
      `versions: the one from ${in_force_from} changes the creditor identifier, and mandates ` +
        `were given to ${before}: keep it`,
    ]
  })
}
