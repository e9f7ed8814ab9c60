/** Borrowers: operations, state machines and events. */
import { z } from 'zod'
import {
  BORROWER_STATUSES,
  Borrower,
  BorrowerStatus,
  COMPLIANCE_STATUSES,
  ComplianceStatus,
  CreateBorrowerBody,
  SignBorrowerBody,
  UpdateBorrowerBody,
} from './borrower-schemas.ts'
import { events, machine, operations } from './define.ts'
import { BorrowerFinancialProduct } from './financial-products.ts'
import { TAKES_DOCUMENTS } from './limits.ts'
import { Id, NoContent, page, pageQuery, repeatable, text, WireDay } from './shared.ts'

/** READY requires a signature, an enabled repayment method and a credit line. */
export const borrowerMachine = machine({
  name: 'borrower',
  about: 'A company that borrows. It may draw while it is READY.',
  initial: 'TO_SIGN',
  statuses: BORROWER_STATUSES,
  transitions: [
    { from: 'TO_SIGN', trigger: 'sign', to: 'SIGNED' },
    { from: 'SIGNED', trigger: 'set_up_sdd', to: 'SDD_SETUP' },
    { from: 'SIGNED', trigger: 'set_up_payment', to: 'ALL_PAYMENT_SETUP' },
    { from: 'SDD_SETUP', trigger: 'set_up_payment', to: 'ALL_PAYMENT_SETUP' },
    { from: 'SDD_SETUP', trigger: 'make_ready', to: 'READY' },
    { from: 'ALL_PAYMENT_SETUP', trigger: 'make_ready', to: 'READY' },
    { from: 'SDD_SETUP', trigger: 'lose_payment_method', to: 'SIGNED' },
    { from: 'ALL_PAYMENT_SETUP', trigger: 'lose_payment_method', to: 'SIGNED' },
    { from: 'READY', trigger: 'lose_payment_method', to: 'SIGNED' },
    { from: 'SIGNED', trigger: 'block', to: 'BLOCKED' },
    { from: 'SDD_SETUP', trigger: 'block', to: 'BLOCKED' },
    { from: 'ALL_PAYMENT_SETUP', trigger: 'block', to: 'BLOCKED' },
    { from: 'READY', trigger: 'block', to: 'BLOCKED' },
    { from: 'BLOCKED', trigger: 'unblock', to: 'READY' },
    { from: 'BLOCKED', trigger: 'unblock_to_setup', to: 'SIGNED' },
    { from: 'TO_SIGN', trigger: 'deactivate', to: 'DEACTIVATED' },
    { from: 'SIGNED', trigger: 'deactivate', to: 'DEACTIVATED' },
    { from: 'SDD_SETUP', trigger: 'deactivate', to: 'DEACTIVATED' },
    { from: 'ALL_PAYMENT_SETUP', trigger: 'deactivate', to: 'DEACTIVATED' },
    { from: 'READY', trigger: 'deactivate', to: 'DEACTIVATED' },
    { from: 'BLOCKED', trigger: 'deactivate', to: 'DEACTIVATED' },
    { from: 'TO_SIGN', trigger: 'prohibit', to: 'PROHIBITED' },
    { from: 'SIGNED', trigger: 'prohibit', to: 'PROHIBITED' },
    { from: 'SDD_SETUP', trigger: 'prohibit', to: 'PROHIBITED' },
    { from: 'ALL_PAYMENT_SETUP', trigger: 'prohibit', to: 'PROHIBITED' },
    { from: 'READY', trigger: 'prohibit', to: 'PROHIBITED' },
    { from: 'BLOCKED', trigger: 'prohibit', to: 'PROHIBITED' },
  ],
})

/** A review can be reopened after approval or rejection. */
export const complianceMachine = machine({
  name: 'compliance',
  about: 'The KYB review of a borrower. Loans wait for APPROVED.',
  initial: 'UNKNOWN',
  statuses: COMPLIANCE_STATUSES,
  transitions: [
    { from: 'UNKNOWN', trigger: 'review', to: 'REVIEWING' },
    { from: 'REVIEWING', trigger: 'approve', to: 'APPROVED' },
    { from: 'REVIEWING', trigger: 'reject', to: 'REJECTED' },
    { from: 'REVIEWING', trigger: 'ask_user', to: 'PENDING_USER_ACTION' },
    { from: 'REVIEWING', trigger: 'abandon', to: 'UNKNOWN' },
    { from: 'PENDING_USER_ACTION', trigger: 'review', to: 'REVIEWING' },
    { from: 'APPROVED', trigger: 'reopen', to: 'REVIEWING' },
    { from: 'REJECTED', trigger: 'reopen', to: 'REVIEWING' },
  ],
})

const BorrowerParams = z.object({ borrower_id: Id })

const ListBorrowersQuery = z.strictObject({
  ...pageQuery,
  borrower_id: repeatable(Id),
  borrower_identifier: text(100).optional(),
  identifier: text(100).optional(),
  query: text(200).optional(),
  from_signed_at: WireDay.optional(),
  to_signed_at: WireDay.optional(),
  status: repeatable(BorrowerStatus),
  compliance_status: repeatable(ComplianceStatus),
})

export const borrowerOperations = operations({
  createBorrower: {
    method: 'POST',
    path: '/borrowers',
    summary: 'Create a borrower',
    description:
      'The company registration number is enough. Its type is inferred when not given, and ' +
      'refused when ambiguous.',
    scope: 'borrowers:write',
    gated: true,
    success: 201,
    body: CreateBorrowerBody,
    ...TAKES_DOCUMENTS,
    answer: Borrower,
    problems: ['borrower_exists'],
  },
  listBorrowers: {
    method: 'GET',
    path: '/borrowers',
    summary: 'List borrowers',
    description:
      '`identifier` and `borrower_identifier` mean the same. `query` is a part of the name, or ' +
      'the beginning of the number. `compliance_status` is that of the KYB check.',
    scope: 'borrowers:read',
    gated: false,
    success: 200,
    query: ListBorrowersQuery,
    answer: page(Borrower),
    problems: [],
  },
  getBorrower: {
    method: 'GET',
    path: '/borrower/{borrower_id}',
    summary: 'Read a borrower',
    scope: 'borrowers:read',
    gated: false,
    success: 200,
    params: BorrowerParams,
    answer: Borrower,
    problems: [],
  },
  updateBorrower: {
    method: 'PATCH',
    path: '/borrower/{borrower_id}',
    summary: 'Complete the data of a borrower',
    scope: 'borrowers:write',
    gated: true,
    success: 200,
    params: BorrowerParams,
    body: UpdateBorrowerBody,
    answer: Borrower,
    problems: ['state_conflict'],
  },
  signBorrower: {
    method: 'POST',
    path: '/borrower/{borrower_id}/sign',
    summary: 'Record the acceptance of the terms and conditions',
    scope: 'borrowers:write',
    gated: true,
    success: 200,
    params: BorrowerParams,
    body: SignBorrowerBody,
    answer: Borrower,
    problems: ['state_conflict'],
  },
  deactivateBorrower: {
    method: 'POST',
    path: '/borrower/{borrower_id}/deactivate',
    summary: 'End the relation with a borrower',
    description:
      'Cancels pending loans, ends mandates and closes the credit line. Refused while the ' +
      'borrower owes money. Calling it again has no effect.',
    scope: 'borrowers:write',
    gated: true,
    success: 204,
    params: BorrowerParams,
    answer: NoContent,
    problems: ['state_conflict', 'money_owed'],
  },
  listBorrowerFinancialProducts: {
    method: 'GET',
    path: '/borrower/{borrower_id}/financial-products',
    summary: 'List the financial products of a borrower',
    description: 'The terms and conditions are here, readable before they are signed.',
    scope: 'borrowers:read',
    gated: false,
    success: 200,
    params: BorrowerParams,
    query: z.strictObject(pageQuery),
    answer: page(BorrowerFinancialProduct),
    problems: [],
  },
})

const borrowerEvent = { resource: 'borrower', data: Borrower } as const

export const borrowerEvents = events({
  'Borrower.TO_SIGN': borrowerEvent,
  'Borrower.SIGNED': borrowerEvent,
  'Borrower.SDD_SETUP': borrowerEvent,
  'Borrower.ALL_PAYMENT_SETUP': borrowerEvent,
  'Borrower.READY': borrowerEvent,
  'Borrower.BLOCKED': borrowerEvent,
  'Borrower.DEACTIVATED': borrowerEvent,
  'Borrower.PROHIBITED': borrowerEvent,
  'Borrower.COMPLIANCE_UPDATED': borrowerEvent,
  BorrowerFinancialProductCreated: {
    resource: 'borrower_financial_product',
    data: BorrowerFinancialProduct,
  },
  BorrowerFinancialProductUpdated: {
    resource: 'borrower_financial_product',
    data: BorrowerFinancialProduct,
  },
})
