/** The parts of a page: on a wide screen those of `side` stand beside the others. */
import { Grid, Stack } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  readonly children: ReactNode
  readonly side: ReactNode
  /** One begins at the side: the others follow from it. */
  readonly sideFirst?: true
}

export function Beside({ children, side, sideFirst }: Props) {
  const parts = [
    <Grid.Col key="main" span={{ base: 12, lg: 8 }}>
      <Stack>{children}</Stack>
    </Grid.Col>,
    <Grid.Col key="side" span={{ base: 12, lg: 4 }}>
      <Stack>{side}</Stack>
    </Grid.Col>,
  ]
  return <Grid>{sideFirst ? parts.toReversed() : parts}</Grid>
}
