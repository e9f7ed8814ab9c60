/**
 * Handlers of the hosted page: the holder of the resume link takes each step. The link is checked
 * before the body is read (`opened_by` in the contract).
 */
import type { OnboardingPage } from '@headroom/contract'
import { prepareTerms } from '../../companies/borrowers/index.ts'
import type { Call, Context } from '../../context.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import { readForPartner, type Tx, transaction } from '../../platform/db/transaction.ts'
import { acceptTerms } from './accept-terms.ts'
import { chooseCompany } from './choose-company.ts'
import { chooseRepayment } from './choose-repayment.ts'
import { nameRepresentative } from './name-representative.ts'
import { pageOf } from './page-view.ts'
import { scopeOfHolder } from './resume-link.ts'
import { findOnboarding, lockOpen, setLanguage } from './store.ts'

type StepId =
  | 'getOnboardingPage'
  | 'setOnboardingLanguage'
  | 'chooseOnboardingCompany'
  | 'nameOnboardingRepresentative'
  | 'chooseOnboardingRepayment'
  | 'acceptOnboardingTerms'

/** Takes a step of a session and returns the updated page. */
function step<N extends StepId>(
  take: (context: Context, session: RowKey, body: Call<N>['body']) => Promise<unknown>,
) {
  return {
    orchestrate: async (context: Context, call: Call<N>): Promise<OnboardingPage> => {
      const everywhere = { partners: '*', read_only: true } as const
      const session = await transaction(context.database, everywhere, tx =>
        findOnboarding(tx, call.params.onboarding_id),
      )
      await take(context, session, call.body)
      // A live lender may have changed since the company was chosen, and its terms with it.
      if (session.company && context.database.lenders) {
        await prepareTerms(context, session.company.country)
      }
      return readForPartner(context, session.partner_id, async tx =>
        pageOf(tx, await findOnboarding(tx, session.id)),
      )
    },
  }
}

const inTransaction = (context: Context, { partner_id }: RowKey, work: (tx: Tx) => Promise<void>) =>
  transaction(context.database, scopeOfHolder(partner_id), work)

export const stepHandlers = {
  getOnboardingPage: step<'getOnboardingPage'>(async () => {}),

  setOnboardingLanguage: step<'setOnboardingLanguage'>((context, session, { language }) =>
    inTransaction(context, session, async tx => {
      await lockOpen(tx, session)
      await setLanguage(tx, session, language)
    }),
  ),

  chooseOnboardingCompany: step<'chooseOnboardingCompany'>(chooseCompany),

  nameOnboardingRepresentative: step<'nameOnboardingRepresentative'>((context, session, body) =>
    inTransaction(context, session, tx => nameRepresentative(tx, session, body)),
  ),

  chooseOnboardingRepayment: step<'chooseOnboardingRepayment'>(chooseRepayment),

  acceptOnboardingTerms: step<'acceptOnboardingTerms'>(acceptTerms),
}
