/** A borrower in requests and answers. */
import { z } from 'zod'
import { DenialCode } from './denial-codes.ts'
import { EntityType } from './enums.ts'
import {
  ACCOUNT_NUMBER_TYPES,
  Address,
  AddressAnswer,
  BANK_IDENTIFIER_TYPES,
  Base64,
  DateTime,
  Email,
  Id,
  IdentifierType,
  IdentifierTypeOrName,
  Metadata,
  MetadataAnswer,
  Moment,
  text,
} from './shared.ts'

export const BORROWER_STATUSES = [
  'TO_SIGN',
  'SIGNED',
  'SDD_SETUP',
  'ALL_PAYMENT_SETUP',
  'READY',
  'BLOCKED',
  'DEACTIVATED',
  'PROHIBITED',
] as const
export const BorrowerStatus = z.enum(BORROWER_STATUSES).meta({ id: 'BorrowerStatus' })
export type BorrowerStatus = z.infer<typeof BorrowerStatus>

export const COMPLIANCE_STATUSES = [
  'UNKNOWN',
  'REVIEWING',
  'APPROVED',
  'REJECTED',
  'PENDING_USER_ACTION',
] as const
export const ComplianceStatus = z.enum(COMPLIANCE_STATUSES).meta({ id: 'ComplianceStatus' })
export type ComplianceStatus = z.infer<typeof ComplianceStatus>

export const BORROWER_ENTITY_TYPES = [
  'COMPANY',
  'SOLE_PROPRIETORSHIP',
  'PARTNERSHIP',
  'ASSOCIATION',
] as const
export const BorrowerEntityType = z.enum(BORROWER_ENTITY_TYPES)

/** A language with or without a country: fr, de-AT. */
export const LanguageTag = z
  .string()
  .max(10)
  .regex(/^[A-Za-z]{2}([-_][A-Za-z]{2})?$/, 'is not a language such as fr or de-AT')

export const CompleteAddress = z
  .strictObject({
    address_line_1: text(200),
    address_line_2: text(200, 0).nullish(),
    city: text(100),
    country: text(100),
    postal_code: text(10),
    state: text(100, 0).nullish(),
  })
  .meta({ id: 'CompleteAddressCreation' })

/** An account number or IBAN; the server verifies an IBAN's check digits. */
const AccountNumber = text(64)
const BankIdentifier = text(64)

export const DirectorCreation = z
  .strictObject({
    id: Id.nullish(),
    entity_type: EntityType.refine(
      type => type === 'people' || type === 'business',
      'a director is people or business',
    ).default('people'),
    role: z.enum(['DIRECTOR', 'NON_DIRECTOR']).default('DIRECTOR'),
    title: text(100, 0).nullish(),
    first_name: text(100).nullish(),
    last_name: text(100).nullish(),
    birth_date: z.iso.date().nullish(),
    birth_place: z
      .strictObject({ city: text(100, 0).nullish(), country: text(100, 0).nullish() })
      .nullish(),
    nationality: text(100).nullish(),
    address: Address.nullish(),
    business_email: Email.nullish(),
    business_phone_number: text(30).nullish(),
    identifier: text(100).nullish(),
    identifier_type: IdentifierTypeOrName.nullish(),
    legal_name: text(200).nullish(),
    siege_address: Address.nullish(),
  })
  .meta({ id: 'DirectorCreation' })

const Directors = z.array(DirectorCreation).min(1).max(50)

const IdentityDocument = z.strictObject({
  filename: text(255),
  document_binary_base64: Base64,
  description: text(500, 0).nullish(),
})

export const OwnerCreation = z.strictObject({
  first_name: text(100),
  last_name: text(100),
  birth_date: z.iso.date().nullish(),
  email: Email.nullish(),
  phone_number: text(30).nullish(),
  identity_documents: z
    .strictObject({
      custom_identity_documents: z.array(IdentityDocument).max(10).nullish(),
      identity_document_front: IdentityDocument.nullish(),
      identity_document_back: IdentityDocument.nullish(),
    })
    .nullish(),
})

export const CreateBorrowerBody = z.strictObject({
  identifier: text(100),
  identifier_type: IdentifierType.nullish(),
  entity_type: BorrowerEntityType.default('COMPANY'),
  name: text(200).nullish(),
  legal_form: text(100).nullish(),
  vat_number: text(20).nullish(),
  address: CompleteAddress.nullish(),
  account_number: AccountNumber.nullish(),
  bank_identifier: BankIdentifier.nullish(),
  directors: Directors.nullish(),
  owner: OwnerCreation.nullish(),
  preferred_language: LanguageTag.nullish(),
  signed_at: DateTime.nullish(),
  metadata: Metadata.nullish(),
  wait_for_ready: z.boolean().default(false),
})
export type CreateBorrowerBody = z.infer<typeof CreateBorrowerBody>

export const UpdateBorrowerBody = z.strictObject({
  directors: Directors.nullish(),
  account_number: AccountNumber.nullish(),
  bank_identifier: BankIdentifier.nullish(),
  address: CompleteAddress.nullish(),
  preferred_language: LanguageTag.nullish(),
  metadata: Metadata.nullish(),
})
export type UpdateBorrowerBody = z.infer<typeof UpdateBorrowerBody>

export const SignBorrowerBody = z.strictObject({
  signed_at: DateTime,
  wait_for_ready: z.boolean().nullish(),
})

export const Director = z
  .object({
    id: Id.nullable(),
    entity_type: EntityType,
    role: z.enum(['DIRECTOR', 'NON_DIRECTOR']),
    title: z.string().nullable(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    birth_date: z.iso.date().nullable(),
    birth_place: z
      .object({ city: z.string().nullable(), country: z.string().nullable() })
      .nullable(),
    nationality: z.string().nullable(),
    address: AddressAnswer.nullable(),
    business_email: z.email().nullable(),
    business_phone_number: z.string().nullable(),
    identifier: z.string().nullable(),
    identifier_type: IdentifierTypeOrName.nullable(),
    legal_name: z.string().nullable(),
    siege_address: AddressAnswer.nullable(),
  })
  .meta({ id: 'Director' })

const Enrollment = z
  .object({
    id: Id,
    enrollment_campaign: z.string(),
    enrollment_name: z.string(),
    entity_id: Id,
    entity_type: z.enum(['BORROWER', 'ONBOARDING']),
    status: z.string(),
    agent_feedback: z.string().nullable(),
    recommendations: z.array(z.unknown()).nullable(),
    submitted_at: Moment.nullable(),
  })
  .meta({ id: 'Enrollment' })

export const Borrower = z
  .object({
    id: Id,
    status: BorrowerStatus,
    status_reason: DenialCode.nullable(),
    identifier: z.string(),
    identifier_type: IdentifierTypeOrName,
    entity_type: BorrowerEntityType,
    name: z.string().nullable(),
    legal_form: z.string().nullable(),
    vat_number: z.string().nullable(),
    address: AddressAnswer.nullable(),
    preferred_language: z.string().nullable(),
    signed_at: Moment.nullable(),
    compliance_checks: z.object({ status: ComplianceStatus }),
    next_actions: z.array(z.enum(['FILL_KYB_CASE'])),
    accounts: z.array(
      z.object({
        id: Id,
        account_name: z.string().nullable(),
        account_number: z.string(),
        account_number_type: z.enum(ACCOUNT_NUMBER_TYPES),
        bank_identifier: z.string(),
        bank_identifier_type: z.enum(BANK_IDENTIFIER_TYPES),
      }),
    ),
    directors: z.array(Director).min(1).nullable(),
    owner: z.object({ id: Id, email: z.email(), phone_number: z.string().nullable() }).nullable(),
    active_enrollments: z.array(Enrollment),
    can_reonboard: z.boolean(),
    contract_id: Id.nullable(),
    contract_s3_url: z.string().nullable(),
    metadata: MetadataAnswer,
  })
  .meta({ id: 'Borrower' })
export type Borrower = z.infer<typeof Borrower>
