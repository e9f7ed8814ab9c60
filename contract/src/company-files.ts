/** The files in which the lender's operators review companies. */
import { machine } from './define.ts'

export const COMPANY_PROPOSAL_KINDS = [
  'ENTRY',
  'APPROVAL',
  'REFUSAL',
  'FALSE_MATCH',
  'TRUE_MATCH',
] as const

export const RISK_CLASSES = ['LOW', 'MEDIUM', 'HIGH'] as const

export const SUBJECT_KINDS = ['COMPANY', 'OWNER', 'DIRECTOR'] as const

export const companyProposalMachine = machine({
  name: 'company_proposal',
  about:
    'What one operator proposes about a company: its data, its review or a screening hit. ' +
    'Another operator confirms it.',
  initial: 'PROPOSED',
  statuses: ['PROPOSED', 'CONFIRMED', 'REJECTED'],
  transitions: [
    { from: 'PROPOSED', trigger: 'confirm', to: 'CONFIRMED' },
    { from: 'PROPOSED', trigger: 'reject', to: 'REJECTED' },
  ],
})
