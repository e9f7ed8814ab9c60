/** Decides a borrower's KYB review in place of the KYB provider. */
import type { Borrower, ComplianceStatus } from '@headroom/contract'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { Section } from '../kit/detail.tsx'
import { PageLink } from '../kit/page-link.tsx'

const DECIDED = ['APPROVED', 'REJECTED', 'REVIEWING', 'PENDING_USER_ACTION']

export function SandboxReviews({ partner }: { partner: string }) {
  return (
    <Section title="KYB">
      <DataList
        name="KYB reviews"
        queryKey={['borrowers', partner, 'kyb']}
        first={() => call('listBorrowers', { partner })}
        partner={partner}
        columns={columns(partner)}
        rowId={borrower => borrower.id}
        empty="No borrowers yet. Create one, and decide its review here."
      />
    </Section>
  )
}

function columns(partner: string): readonly Column<Borrower>[] {
  return [
    {
      id: 'name',
      header: 'Borrower',
      text: borrower => borrower.name ?? borrower.identifier,
      cell: ({ id, name, identifier }) => (
        <PageLink to="/p/$partner/borrower/$borrower" params={{ partner, borrower: id }}>
          {name ?? identifier}
        </PageLink>
      ),
    },
    plain('identifier', 'Number', borrower => borrower.identifier),
    status(borrower => borrower.status),
    status(borrower => borrower.compliance_checks.status, 'KYB'),
    {
      id: 'decide',
      header: 'Decide',
      text: () => '',
      acts: true,
      cell: ({ id: borrower_id, name, identifier }) => (
        <Action
          label="Decide"
          size="compact-sm"
          info={`The review of ${name ?? identifier} is as you say. Loans that wait for it follow.`}
          fields={[
            {
              name: 'status',
              label: 'KYB',
              kind: 'choice',
              options: DECIDED,
              initial: 'APPROVED',
            },
          ]}
          run={({ status }) => {
            const body = { borrower_id, status: status as ComplianceStatus }
            return call('setSandboxKyb', { body, partner })
          }}
          done="It is decided."
        />
      ),
    },
  ]
}
