/** Enters a company that no registry answers for; a second operator confirms the entry. */
import type { AdminBody, CompanyEntry } from '@headroom/contract'
import { type ParsedIdentifier, parseCompanyIdentifier } from '../../countries/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, readWireDay } from '../../platform/kit/dates.ts'
import type { InvalidParam } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import { fullAddress } from '../borrowers/index.ts'
import { evidenceFaults } from './keep-evidence.ts'
import { propose } from './propose.ts'
import { lockFileOf } from './store.ts'

type Body = AdminBody<'enterCompany'>

export type NewEntry = ParsedIdentifier

/** All faults that the schema cannot express, and the company's number. */
export function readEntry(
  body: WellFormed<Body>,
  today: Day,
): { faults: InvalidParam[]; meaning: NewEntry | null } {
  const { identifier, identifier_type, country, vat_number } = body
  const faults = [...dayFaults(body, today), ...evidenceFaults(body.evidence)]
  const parsed = identifier ? parseCompanyIdentifier(identifier, identifier_type, country) : null
  if (parsed && !parsed.ok) faults.push({ name: 'identifier', reason: parsed.reason })
  const vat = vat_number ? parseCompanyIdentifier(vat_number, 'vat_number') : null
  if (vat && !vat.ok) faults.push({ name: 'vat_number', reason: vat.reason })
  return { faults, meaning: parsed?.ok ? parsed : null }
}

/** Nothing entered has happened in the future. */
function dayFaults(body: WellFormed<Body>, today: Day): InvalidParam[] {
  const { creation_date, insolvent_since, directors = [], owners = [] } = body
  const days: [name: string, day: string | null | undefined][] = [
    ['creation_date', creation_date],
    ['insolvent_since', insolvent_since],
    ...directors.map((one, i): [string, typeof creation_date | null] => [
      `directors.${i}.birth_date`,
      one?.birth_date,
    ]),
    ...owners.map((one, i): [string, typeof creation_date | null] => [
      `owners.${i}.birth_date`,
      one?.birth_date,
    ]),
  ]
  return days.flatMap(([name, day]) =>
    day && readWireDay(day)! > today ? [{ name, reason: 'is in the future' }] : [],
  )
}

/** Throws `state_conflict` if another entry of the company waits for confirmation. */
export async function enterCompany(tx: Tx, number: NewEntry, body: Body): Promise<string> {
  const file = await lockFileOf(tx, number)
  const { reason, evidence } = body
  const entry = JSON.stringify(entryOf(body))
  return propose(tx, file, { kind: 'ENTRY', entry, reason }, evidence)
}

const dayOrNull = (given: string | null | undefined) => (given ? readWireDay(given) : null)

function entryOf(body: Body): CompanyEntry {
  const person = ({ name, birth_date }: Body['directors'][number]) => ({
    name,
    birth_date: dayOrNull(birth_date),
  })
  return {
    name: body.name,
    legal_form: body.legal_form ?? null,
    vat_number: body.vat_number ?? null,
    address: { ...fullAddress(body.address) },
    activity_description: body.activity_description ?? null,
    share_capital: body.share_capital ?? null,
    creation_date: readWireDay(body.creation_date)!,
    is_active: body.is_active,
    insolvent_since: dayOrNull(body.insolvent_since),
    directors: body.directors.map(person),
    owners: body.owners.map(owner => ({ ...person(owner), share_percent: owner.share_percent })),
  }
}
