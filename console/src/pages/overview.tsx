/** Where a partner's own people begin: how its business stands, and stood day by day. */
import { Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { PageHead } from '../kit/detail.tsx'
import { Charts, Standing } from '../kit/standing.tsx'

export function OverviewPage() {
  const { partner } = useParams({ from: '/p/$partner/overview' })
  return (
    <Stack>
      <PageHead title="Overview" says="How the business of this partner stands" />
      <Standing partner_id={partner} />
      <Charts partner_id={partner} />
    </Stack>
  )
}
