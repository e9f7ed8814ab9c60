/** Back office: companies that operators enter, screen and review. */
import {
  applyFile,
  confirmProposal,
  decideCompany,
  decideHit,
  enterCompany,
  listCompaniesToCheck,
  lockFileOfBorrower,
  readCompanyFile,
  readEntry,
  rejectProposal,
  reopenCompany,
  screenCompany,
} from '../../companies/company-files/index.ts'
import type { AdminHandlers, Context } from '../../context.ts'
import { refreshRegistryStatuses, saveRegistryStatuses } from '../../credit/loans/index.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'

type Served =
  | 'listCompaniesToCheck'
  | 'enterCompany'
  | 'getCompanyFile'
  | 'decideCompany'
  | 'reopenCompany'
  | 'screenCompany'
  | 'decideHit'
  | 'confirmCompanyProposal'
  | 'rejectCompanyProposal'

export const companyWork: Pick<AdminHandlers, Served> = {
  listCompaniesToCheck: (tx, { query, path }, { ports }) =>
    listCompaniesToCheck(tx, { ...query, path }, ports.compliance.is_decided_in_files),

  getCompanyFile: (tx, { params }) => readCompanyFile(tx, params.company_key),

  enterCompany: {
    check: (tx, { body }) => readEntry(body, tx.today),
    handle: async (tx, { body, meaning }, { ports }) => {
      if (ports.registry.answers_at_once && !ports.compliance.is_decided_in_files) {
        throw problem('state_conflict', 'Simulated services know and review every company.')
      }
      return { id: await enterCompany(tx, meaning, body) }
    },
  },

  decideCompany: async (tx, { params, body }, context) => {
    requireFiles(context)
    return { id: await decideCompany(tx, params.company_key, body) }
  },

  reopenCompany: async (tx, { params, body }, context) => {
    requireFiles(context)
    await reopenCompany(tx, params.company_key, body.reason)
    return null
  },

  screenCompany: async (tx, { params, body }, context) => {
    requireFiles(context)
    return { id: await screenCompany(tx, params.company_key, body) }
  },

  decideHit: async (tx, { params, body }, context) => {
    requireFiles(context)
    return { id: await decideHit(tx, params.screening_hit_id, body) }
  },

  confirmCompanyProposal: async (tx, { params }, { ports }) => {
    await confirmProposal(tx, params.company_proposal_id, ports)
    return null
  },

  rejectCompanyProposal: async (tx, { params, body }) => {
    await rejectProposal(tx, params.company_proposal_id, body.reason)
    return null
  },
}

/** Throws `state_conflict` where KYB reviews are decided elsewhere. */
function requireFiles({ ports }: Context): void {
  if (ports.compliance.is_decided_in_files) return
  throw problem('state_conflict', 'The simulated compliance check reviews every company.')
}

/** Applies a company's file to a borrower, whose waiting loans are then decided. */
export async function applyCompanyFile(
  context: Context,
  key: { partner_id: string; borrower_id: string },
): Promise<void> {
  // Loans waiting for the review are decided with the registry's current data.
  const statuses = await refreshRegistryStatuses(context, key.partner_id, key)
  await transaction(context.database, { partners: '*', actor: 'service' }, async tx => {
    const file = await lockFileOfBorrower(tx, key)
    if (!file) return
    saveRegistryStatuses(tx, statuses)
    await applyFile(tx, key, file)
  })
}
