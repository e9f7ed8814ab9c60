/** Companies that operators enter, screen and review. */
import type { AdminAnswer, Borrower, CompanyToCheck } from '@headroom/contract'
import { parseCompanyIdentifier } from '../../src/countries/index.ts'
import { type TestApp, testApp } from './app.ts'
import type { Person } from './console.ts'
import { readyBorrower } from './story.ts'

/** An app in which operators answer for the registry and the compliance check. */
export function manualApp(options: Parameters<typeof testApp>[0] = {}): Promise<TestApp> {
  return testApp({ work: false, adapters: { registry: 'manual', screening: 'manual' }, ...options })
}

const PDF = Buffer.from('%PDF-1.4 an extract').toString('base64')
export const EVIDENCE = [{ title: 'Extract of the register', document_binary_base64: PDF }]

export const ENTRY = {
  name: 'Boulangerie Martin',
  legal_form: 'SARL',
  address: { address_line_1: '1 rue de la Paix', city: 'Paris', postal_code: '75002' },
  creation_date: '2015-03-02',
  is_active: true,
  directors: [{ name: 'Anne Martin', birth_date: '1970-05-04' }],
  owners: [{ name: 'Paul Martin', share_percent: 60 }],
  reason: 'Extract of today.',
  evidence: EVIDENCE,
}

export interface Pair {
  readonly ana: Person
  readonly bob: Person
}

export async function enter(
  { ana, bob }: Pair,
  identifier: string,
  changes: Partial<typeof ENTRY> & { readonly insolvent_since?: string } = {},
): Promise<string> {
  const { id } = await ana.admin('enterCompany', { body: { ...ENTRY, ...changes, identifier } })
  await confirm(bob, id)
  return id
}

export function confirm(person: Person, company_proposal_id: string) {
  return person.admin('confirmCompanyProposal', { params: { company_proposal_id } })
}

export type File = AdminAnswer<'getCompanyFile'>

export function fileOf(person: Person, company_key: string): Promise<File> {
  const params = { company_key: encodeURIComponent(company_key) }
  return person.admin('getCompanyFile', { params })
}

/** Records a screening without hits for everybody who is not screened. */
export async function screenAll(person: Person, company_key: string): Promise<void> {
  const { subjects } = await fileOf(person, company_key)
  for (const { kind, name, due_again_on } of subjects) {
    if (due_again_on === null) await screen(person, company_key, { kind, name })
  }
}

export function screen(
  person: Person,
  company_key: string,
  { kind, name, hits = [] }: { kind: string; name: string; hits?: readonly string[] },
) {
  return person.admin('screenCompany', {
    params: { company_key: encodeURIComponent(company_key) },
    body: {
      subject_kind: kind,
      subject_name: name,
      lists: 'EU consolidated list of 10 January 2027',
      hits,
      evidence: EVIDENCE,
    },
  })
}

/** Approves a screened company by two operators. */
export async function approve(
  { ana, bob }: Pair,
  company_key: string,
  risk_class = 'LOW',
): Promise<void> {
  const params = { company_key: encodeURIComponent(company_key) }
  const body = { outcome: 'APPROVED', risk_class, reason: 'Known for years.', evidence: EVIDENCE }
  const { id } = await ana.admin('decideCompany', { params, body })
  await confirm(bob, id)
}

/** Everything from the entry to the approval. */
export async function approveEntered(app: TestApp, pair: Pair, company: Borrower): Promise<string> {
  await app.drain()
  await enter(pair, company.identifier)
  const company_key = keyOf(company.identifier)
  await screenAll(pair.ana, company_key)
  await approve(pair, company_key)
  await app.drain()
  return company_key
}

export function keyOf(identifier: string): string {
  const parsed = parseCompanyIdentifier(identifier)
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.company_key
}

/** What the queue says that the company waits for. */
export async function waitsOf(person: Person, company_key: string) {
  const { data } = await person.admin('listCompaniesToCheck', { query: { page_size: '100' } })
  return data
    .filter((one: CompanyToCheck) => one.company_key === company_key)
    .map(one => one.waits_for)
}

/** A borrower that can draw as soon as its company is approved. */
export function awaitedBorrower(app: TestApp) {
  return readyBorrower(app, 'SCT')
}
