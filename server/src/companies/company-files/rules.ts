/** When a company can be approved, and for how long. Pure. */
import type { CompanyEntry, RISK_CLASSES, SUBJECT_KINDS } from '@headroom/contract'
import { type Day, min } from '../../platform/kit/dates.ts'

export type RiskClass = (typeof RISK_CLASSES)[number]
export type HitOutcome = 'FALSE_MATCH' | 'TRUE_MATCH' | null

/** The company, or one of its owners and directors. */
export interface Subject {
  readonly kind: (typeof SUBJECT_KINDS)[number]
  readonly name: string
}

export interface ScreeningFacts {
  readonly subject_kind: Subject['kind']
  readonly subject_name: string
  readonly due_again_on: Day
  readonly hits: readonly { readonly outcome: HitOutcome }[]
}

/** A company's people, as operators entered them or, without an entry, as partners did. */
export type People = Pick<CompanyEntry, 'directors' | 'owners'> | PartnerPeople

interface PartnerPeople {
  readonly directors: readonly { readonly name: string }[]
  readonly owners: readonly { readonly name: string }[]
}

/** Everybody who is screened, each once. */
export function subjectsOf(company: string, { owners, directors }: People): Subject[] {
  const all: Subject[] = [
    { kind: 'COMPANY', name: company },
    ...owners.map(({ name }) => ({ kind: 'OWNER' as const, name })),
    ...directors.map(({ name }) => ({ kind: 'DIRECTOR' as const, name })),
  ]
  return [...new Map(all.map(subject => [identityOf(subject), subject])).values()]
}

/**
 * The first day on which the subject's latest screening no longer holds; null if it has none, or if
 * a hit of any of its screenings is not a false match.
 */
export function dueAgainOn(subject: Subject, screenings: readonly ScreeningFacts[]): Day | null {
  const own = screenings.filter(screening => screenedIn(screening) === identityOf(subject))
  if (own.some(mayBeListed)) return null
  const days = own.map(screening => screening.due_again_on).sort()
  return days.at(-1) ?? null
}

/** The first of the subjects' days; null if one of them has none. */
export function screeningDueOn(
  subjects: readonly Subject[],
  screenings: readonly ScreeningFacts[],
): Day | null {
  const days = subjects.map(subject => dueAgainOn(subject, screenings))
  const [first, ...others] = days.filter(day => day !== null)
  return first && others.length + 1 === days.length ? min(first, ...others) : null
}

export interface ApprovalFacts {
  readonly today: Day
  /** Whether the company's registry data is known and still holds. */
  readonly is_known: boolean
  /** What two operators entered; null without an entry. */
  readonly entry: CompanyEntry | null
  readonly subjects: readonly Subject[]
  readonly screenings: readonly ScreeningFacts[]
}

/** What an approval still needs; empty if nothing. */
export function missingForApproval(facts: ApprovalFacts): string[] {
  const { today, is_known, entry, subjects, screenings } = facts
  // A hit counts after its person has left: it holds refunds until it is a false match.
  const current = new Set(subjects.map(identityOf))
  const former = screenings.filter(
    screening => mayBeListed(screening) && !current.has(screenedIn(screening)),
  )
  const listed = new Set(former.map(screening => screening.subject_name))
  const unscreened = subjects.filter(subject => (dueAgainOn(subject, screenings) ?? '') <= today)
  return [
    ...(is_known ? [] : ['the registry data of the company']),
    ...(entry ? [] : ['a confirmed entry, which names its directors and owners']),
    ...unscreened.map(({ name }) => `a valid screening of ${name} without open or true hits`),
    ...[...listed].map(name => `a decision that the hits of ${name} are false matches`),
  ]
}

/** Whether it has a hit that two operators have not decided to be a false match. */
const mayBeListed = ({ hits }: ScreeningFacts) => hits.some(hit => hit.outcome !== 'FALSE_MATCH')

/** The identity of whom a screening is about. */
const screenedIn = ({ subject_kind: kind, subject_name: name }: ScreeningFacts) =>
  identityOf({ kind, name })

const identityOf = ({ kind, name }: Subject) =>
  `${kind} ${name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()}`
