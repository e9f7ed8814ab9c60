/** Entering a company by hand, and showing what was entered. */
import type { CompanyEntry } from '@headroom/contract'
import { Action, type Field, type Values } from '../kit/action.tsx'
import { call, type Input } from '../kit/api.ts'
import { Facts } from '../kit/detail.tsx'
import { evidenceIn } from '../kit/evidence.ts'
import { day, yesOrNo } from '../kit/format.ts'
import { useSignedIn } from '../kit/session.tsx'

type Body = NonNullable<Input<'enterCompany'>['body']>

const NUMBER: Field = { name: 'identifier', label: 'Company number' }
const ENTRY: readonly Field[] = [
  { name: 'name', label: 'Name' },
  { name: 'legal_form', label: 'Legal form', optional: true },
  { name: 'address_line_1', label: 'Street' },
  { name: 'postal_code', label: 'Postal code' },
  { name: 'city', label: 'City' },
  { name: 'creation_date', label: 'Created on', kind: 'day' },
  { name: 'is_active', label: 'Active', kind: 'check', initial: 'yes' },
  { name: 'insolvent_since', label: 'Insolvent since', kind: 'day', optional: true },
  {
    name: 'directors',
    label: 'Directors',
    kind: 'long',
    hint: 'One a line: name; date of birth (YYYY-MM-DD), if known',
  },
  {
    name: 'owners',
    label: 'Owners of 25 % or more',
    kind: 'long',
    optional: true,
    hint: 'One a line: name; percent; date of birth, if known',
  },
  { name: 'reason', label: 'Source', hint: 'What you read, and when', kind: 'long' },
  { name: 'evidence', label: 'Document', hint: 'PDF, PNG or JPEG, up to 10 MB', kind: 'file' },
]

interface Props {
  /** The company's number, if it is known already. */
  readonly number?: Pick<Body, 'identifier' | 'identifier_type' | 'country'>
  readonly disabledReason?: string | null
}

export function EnterCompany({ number, disabledReason = null }: Props) {
  const { enters_companies } = useSignedIn()
  const simulated = enters_companies ? null : 'Simulated services know and review every company.'
  return (
    <Action
      label="Enter a company"
      disabledReason={simulated ?? disabledReason}
      info="Another operator confirms what you enter. It then counts as the registry's answer."
      fields={number ? ENTRY : [NUMBER, ...ENTRY]}
      run={values => call('enterCompany', { body: bodyOf(values, number) })}
      done="The company waits for a second operator."
    />
  )
}

function bodyOf(values: Values, number: Props['number']): Body {
  const { address_line_1, postal_code, city } = values
  return {
    identifier: values.identifier ?? '',
    ...number,
    name: values.name ?? '',
    legal_form: values.legal_form || null,
    address: { address_line_1, postal_code, city },
    creation_date: values.creation_date ?? '',
    is_active: values.is_active === 'yes',
    insolvent_since: values.insolvent_since || null,
    directors: linesOf(values.directors).map(([name = '', birth_date]) => ({
      name,
      birth_date: birth_date || null,
    })),
    owners: linesOf(values.owners).map(([name = '', percent = '', birth_date]) => ({
      name,
      share_percent: Number(percent.replace(',', '.').replace('%', '')),
      birth_date: birth_date || null,
    })),
    reason: values.reason ?? '',
    evidence: evidenceIn(values.evidence),
  }
}

/** The parts of each line that is not empty. */
function linesOf(text = ''): string[][] {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  return lines.map(line => line.split(';').map(part => part.trim()))
}

/** What was entered, for the operator who confirms it. */
export function EntryFacts({ entry }: { entry: CompanyEntry }) {
  const { address, directors, owners } = entry
  const born = (date: string | null) => (date ? `, born ${day(`${date}T00:00:00Z`)}` : '')
  const of = (date: string | null) => date && day(`${date}T00:00:00Z`)
  return (
    <Facts
      of={[
        ['Name', entry.name],
        ['Legal form', entry.legal_form],
        ['Address', [address.address_line_1, address.postal_code, address.city].join(' ')],
        ['Created on', of(entry.creation_date)],
        ['Active', yesOrNo(entry.is_active)],
        ['Insolvent since', of(entry.insolvent_since)],
        ['Directors', directors.map(one => one.name + born(one.birth_date)).join('; ')],
        [
          'Owners',
          owners
            .map(one => `${one.name}, ${one.share_percent} %${born(one.birth_date)}`)
            .join('; '),
        ],
      ]}
    />
  )
}
