/** Onboarding sessions, for partner users and lender operators. */
import type { InvitedCompany } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { AdminCall, AdminHandlers } from '../../context.ts'
import { resumeLink } from '../../partners/onboardings/index.ts'
import { newestFirst, type Page, readPage, viewPage } from '../../platform/db/page.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import { partnerScopeOf } from './partner-scope.ts'

interface Row extends Omit<InvitedCompany, 'created_at' | 'expires_at' | 'secure_resume_link'> {
  created_at: Date
  expires_at: Date
}

async function readInvited(
  tx: Tx,
  partner_id: string,
  { person, query: { id, status, page_size, cursor }, path }: AdminCall<'listOnboardings'>,
): Promise<Page<InvitedCompany>> {
  const one = id === undefined ? sql`true` : sql`o.id = ${id}`
  const some = status === undefined ? sql`true` : sql`o.status = any(${status}::text[])`
  const select = (where: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql<Row>`
    select o.id, o.status, o.status = 'CREATED' and o.expires_at <= ${tx.now} as is_expired,
      coalesce(o.company ->> 'name', o.identifier, o.email) as company, o.step,
      o.preferred_language, o.borrower_id, o.created_at, o.expires_at, ${key}
    from onboardings o where o.partner_id = ${partner_id} and ${one} and ${some} and ${where}`
  const request = { path, page_size, cursor }
  const looks = person.role === 'viewer'
  const page = await readPage(tx, request, newestFirst(sql.ref('o.id')), select)
  return viewPage(
    page,
    ({ id, status, is_expired, company, step, preferred_language, borrower_id, ...times }) => ({
      id,
      status,
      is_expired,
      company,
      step,
      preferred_language,
      borrower_id,
      created_at: times.created_at.toISOString(),
      expires_at: times.expires_at.toISOString(),
      secure_resume_link:
        status === 'CREATED' && !is_expired && !looks ? resumeLink(tx.settings, id) : null,
    }),
  )
}

export const onboardingWork: Pick<AdminHandlers, 'listOnboardings'> = {
  listOnboardings: {
    orchestrate: ({ database }, call) => {
      const { partners } = partnerScopeOf(call.person, call.query)
      const { partner_id } = call.query
      return transaction(database, { partners, read_only: true }, tx =>
        readInvited(tx, partner_id, call),
      )
    },
  },
}
