/** What operators propose and decide about a company. */
import type { CompanyFile, CompanyProposal, Screening } from '@headroom/contract'
import { Action, type Field } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { evidenceIn } from '../kit/evidence.ts'
import { words } from '../kit/format.ts'
import { blockedReason } from '../kit/machine.ts'
import { useSignedIn } from '../kit/session.tsx'

const WHY: Field = { name: 'reason', label: 'Reason', kind: 'long' }
const DOCUMENT: Field = {
  name: 'evidence',
  label: 'Document',
  hint: 'PDF, PNG or JPEG, up to 10 MB',
  kind: 'file',
}
const PERHAPS: Field = { ...DOCUMENT, optional: true }
const RISKS = ['LOW', 'MEDIUM', 'HIGH'] as const
const WAITS = 'Another proposal waits: confirm or reject it first.'

/** Why operators review no companies here; null if they do. */
function useReviewedElsewhere(): string | null {
  const { reviews_companies } = useSignedIn()
  return reviews_companies ? null : 'The simulated compliance check reviews every company.'
}

/** Whether a proposal of these kinds waits. */
function isProposed({ proposals }: CompanyFile, ...kinds: CompanyProposal['kind'][]): boolean {
  return proposals.some(({ kind, status }) => status === 'PROPOSED' && kinds.includes(kind))
}

export function ReviewActions({ file }: { file: CompanyFile }) {
  const { company_key, outcome, missing } = file
  const elsewhere = useReviewedElsewhere()
  const waits = isProposed(file, 'APPROVAL', 'REFUSAL') ? WAITS : null
  const incomplete = missing.length > 0 ? `It needs ${missing.join('; ')}.` : null
  const rejected = outcome === 'REJECTED' ? 'It is rejected already.' : null
  const unapproved = rejected
    ? 'It is rejected: propose to approve it.'
    : 'It is under review already.'
  const params = { company_key }
  return (
    <>
      <Action
        label="Propose approval"
        color="green"
        variant="filled"
        disabledReason={elsewhere ?? waits ?? incomplete}
        info="It renews an approval, or lifts a rejection, once another operator has confirmed it."
        fields={[
          { name: 'risk', label: 'Risk class', kind: 'choice', options: RISKS },
          WHY,
          DOCUMENT,
        ]}
        run={({ risk, reason = '', evidence }) =>
          call('decideCompany', {
            params,
            body: {
              outcome: 'APPROVED',
              risk_class: risk as 'LOW',
              reason,
              evidence: evidenceIn(evidence),
            },
          })
        }
        done="The approval waits for a second operator."
      />
      <Action
        label="Propose rejection"
        color="red"
        disabledReason={elsewhere ?? waits ?? rejected}
        info="Once another operator has confirmed it, the company's borrowers are blocked."
        fields={[WHY, PERHAPS]}
        run={({ reason = '', evidence }) =>
          call('decideCompany', {
            params,
            body: { outcome: 'REJECTED', reason, evidence: evidenceIn(evidence) },
          })
        }
        done="The rejection waits for a second operator."
      />
      <Action
        label="Review again"
        disabledReason={elsewhere ?? (outcome === 'APPROVED' ? null : unapproved)}
        info="Payouts and new loans of its borrowers wait until the review is decided."
        fields={[WHY]}
        run={({ reason = '' }) => call('reopenCompany', { params, body: { reason } })}
        done="The review is open."
      />
    </>
  )
}

interface SubjectProps {
  readonly company_key: string
  readonly subject: CompanyFile['subjects'][number]
}

export function ScreenSubject({ company_key, subject }: SubjectProps) {
  const { kind, name } = subject
  return (
    <Action
      label="Record screening"
      size="xs"
      disabledReason={useReviewedElsewhere()}
      info={`What you found about ${name}. A hit holds payouts until two operators decide it.`}
      fields={[
        { name: 'lists', label: 'Lists searched', hint: 'With their dates' },
        {
          name: 'hits',
          label: 'Hits',
          hint: 'One a line, with the number of the entry; none if you found none',
          kind: 'long',
          optional: true,
        },
        DOCUMENT,
      ]}
      run={({ lists = '', hits = '', evidence }) =>
        call('screenCompany', {
          params: { company_key },
          body: {
            subject_kind: kind,
            subject_name: name,
            lists,
            hits: hits.split('\n').filter(line => line.trim() !== ''),
            evidence: evidenceIn(evidence),
          },
        })
      }
      done="The screening is recorded."
    />
  )
}

interface HitProps {
  readonly file: CompanyFile
  readonly hit: Screening['hits'][number]
  readonly name: string
}

export function HitActions({ file, hit, name }: HitProps) {
  const elsewhere = useReviewedElsewhere()
  const waiting = file.proposals.some(
    ({ status, screening_hit_id }) => status === 'PROPOSED' && screening_hit_id === hit.id,
  )
  const off = (outcome: 'FALSE_MATCH' | 'TRUE_MATCH') =>
    elsewhere ??
    (waiting ? WAITS : null) ??
    (hit.outcome === outcome ? `It is a ${words(outcome).toLowerCase()} already.` : null)
  const decide = (outcome: 'FALSE_MATCH' | 'TRUE_MATCH', reason = '', evidence?: string) =>
    call('decideHit', {
      params: { screening_hit_id: hit.id },
      body: { outcome, reason, evidence: evidenceIn(evidence) },
    })
  return (
    <>
      <Action
        label="False match"
        size="xs"
        disabledReason={off('FALSE_MATCH')}
        info={`${hit.listed} is not ${name}. Another operator confirms it.`}
        fields={[WHY, PERHAPS]}
        run={({ reason, evidence }) => decide('FALSE_MATCH', reason, evidence)}
        done="The false match waits for a second operator."
      />
      <Action
        label="True match"
        size="xs"
        color="red"
        disabledReason={off('TRUE_MATCH')}
        info={`${hit.listed} is ${name}. Once confirmed, the company is rejected and blocked.`}
        fields={[WHY, PERHAPS]}
        run={({ reason, evidence }) => decide('TRUE_MATCH', reason, evidence)}
        done="The true match waits for a second operator."
      />
    </>
  )
}

export function ProposalActions({ proposal }: { proposal: CompanyProposal }) {
  const { id, kind, status, proposed_by } = proposal
  const own = useSignedIn().operator.email === proposed_by
  const params = { company_proposal_id: id }
  const what = words(kind).toLowerCase()
  return (
    <>
      <Action
        label="Confirm"
        size="xs"
        color="green"
        variant="filled"
        disabledReason={
          own
            ? 'You cannot confirm your own proposal.'
            : blockedReason('company_proposal', status, 'confirm')
        }
        info={`You agree to the ${what} that ${proposed_by} proposed. It takes effect at once.`}
        run={() => call('confirmCompanyProposal', { params })}
        done={`The ${what} is confirmed.`}
      />
      <Action
        label={own ? 'Take it back' : 'Reject'}
        size="xs"
        disabledReason={blockedReason('company_proposal', status, 'reject')}
        info={`The ${what} does not take effect.`}
        fields={[WHY]}
        run={({ reason = '' }) => call('rejectCompanyProposal', { params, body: { reason } })}
        done={`The ${what} is rejected.`}
      />
    </>
  )
}
