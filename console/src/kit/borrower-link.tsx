/** Links to a borrower by name where only the id is known. */
import { useQuery } from '@tanstack/react-query'
import { call } from './api.ts'
import { shortId } from './format.ts'
import { PageLink } from './page-link.tsx'

interface Props {
  readonly partner: string
  readonly borrower_id: string
}

export function BorrowerLink({ partner, borrower_id }: Props) {
  const { data } = useQuery({
    queryKey: ['borrower', borrower_id],
    queryFn: () => call('getBorrower', { params: { borrower_id }, partner }),
  })
  return (
    <PageLink to="/p/$partner/borrower/$borrower" params={{ partner, borrower: borrower_id }}>
      {data ? (data.name ?? data.identifier) : shortId(borrower_id)}
    </PageLink>
  )
}
