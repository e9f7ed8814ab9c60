/** Owners: the individuals behind a borrower, with proofs of identity. */
import { z } from 'zod'
import { OwnerCreation } from './borrower-schemas.ts'
import { operations } from './define.ts'
import { TAKES_DOCUMENTS } from './limits.ts'
import { Id } from './shared.ts'

export const ownerOperations = operations({
  createOwner: {
    method: 'POST',
    path: '/borrower/{borrower_id}/owner',
    summary: 'Tell who owns a borrower',
    description:
      'The owner told last counts; identity documents of earlier ones are kept. Documents are ' +
      'PDF, JPEG or PNG files of at most ten megabytes. Without an e-mail address of its own ' +
      'the owner is written to at the business e-mail address of the borrower.',
    scope: 'borrowers:write',
    gated: true,
    success: 201,
    params: z.object({ borrower_id: Id }),
    body: OwnerCreation,
    ...TAKES_DOCUMENTS,
    answer: z.object({ id: Id, email: z.email(), phone_number: z.string() }),
    problems: ['state_conflict'],
  },
})
