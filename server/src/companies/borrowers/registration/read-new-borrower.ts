/** Validates the body of a new borrower without the database, and collects every fault. */
import type { CreateBorrowerBody, Language } from '@headroom/contract'
import type { ParsedIdentifier } from '../../../countries/index.ts'
import type { KnownCompany } from '../../../integrations/ports/registry.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { newId } from '../../../platform/kit/ids.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import {
  readBirthDate,
  readDirectors,
  representativeOf,
  type StoredDirector,
} from '../directors.ts'
import type { FaultCollector } from '../faults.ts'
import { documentFaults } from '../owners/identity-documents.ts'
import {
  type BankAccount,
  type PostalAddress,
  readAccount,
  readAddress,
  readIdentifier,
  readLanguage,
  readPastMoment,
  readVatNumber,
} from '../read-fields.ts'
import type { Owner } from '../store.ts'

/** A parsed request to create a borrower. A null field was missing or invalid. */
export interface ReadBorrower {
  readonly company: ParsedIdentifier | null
  readonly account: BankAccount | null
  readonly address: PostalAddress | null
  readonly vat_number: string | null
  readonly directors: StoredDirector[]
  readonly owner: Owner | null
  readonly business_email: string | null
  readonly preferred_language: Language | null
  readonly signed_at: Date | null
}

export interface NewBorrower extends ReadBorrower {
  readonly company: ParsedIdentifier
  readonly registered: KnownCompany
}

export const ACCOUNT_NAMES = { iban: 'account_number', bic: 'bank_identifier' }

/** Reads a request and collects its faults. `now` and `today` are business time. */
export function readNewBorrower(
  body: WellFormed<CreateBorrowerBody>,
  now: Date,
  today: Day,
  faults: FaultCollector,
): ReadBorrower {
  const { identifier } = body
  const company = identifier ? readIdentifier({ ...body, identifier }, faults) : null
  const { account_number: iban, bank_identifier: bic } = body
  const directors = readDirectors(body.directors, today, newId, faults)
  const owner = readOwner(body, today, faults)
  return {
    company,
    account: readAccount({ iban, bic }, ACCOUNT_NAMES, faults),
    address: readAddress(body.address, 'address', faults),
    vat_number: readVatNumber(body.vat_number, company, faults),
    directors,
    owner,
    business_email: businessEmail(directors) ?? owner?.email ?? null,
    preferred_language: readLanguage(body.preferred_language, faults),
    signed_at: body.signed_at ? readPastMoment(body.signed_at, 'signed_at', now, faults) : null,
  }
}

/** The representative's email, or else that of another director. */
export function businessEmail(directors: readonly StoredDirector[]): string | null {
  const known = directors.find(director => director.business_email)
  return representativeOf(directors)?.business_email ?? known?.business_email ?? null
}

function readOwner(
  body: WellFormed<CreateBorrowerBody>,
  today: Day,
  faults: FaultCollector,
): Owner | null {
  const { owner } = body
  if (!owner) return null
  for (const fault of documentFaults(owner.identity_documents, 'owner.identity_documents')) {
    faults.add(fault.name, fault.reason)
  }
  return {
    id: newId(),
    first_name: owner.first_name ?? '',
    last_name: owner.last_name ?? '',
    birth_date: readBirthDate(owner.birth_date, 'owner.birth_date', today, faults),
    email: owner.email ?? null,
    phone_number: owner.phone_number ?? null,
  }
}
