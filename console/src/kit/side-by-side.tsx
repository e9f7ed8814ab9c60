/** Lays out a page in two columns on a wide screen, with `side` in the narrower one. */
import { Grid, Stack } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  readonly children: ReactNode
  readonly side: ReactNode
  /** Puts `side` first in reading order, for content that the rest depends on. */
  readonly sideFirst?: true
}

export function SideBySide({ children, side, sideFirst }: Props) {
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
