/** The parts of a page: on a wide screen those of `side` stand beside the others. */
import { Grid, Stack } from '@mantine/core'
import type { ReactNode } from 'react'

export function Beside({ children, side }: { children: ReactNode; side: ReactNode }) {
  return (
    <Grid>
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <Stack>{children}</Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>
        <Stack>{side}</Stack>
      </Grid.Col>
    </Grid>
  )
}
