/**
 * A status as a badge: green if all is well, orange if it needs attention, red if something failed,
 * gray if the resource is not in effect, else blue.
 */
import { Badge } from '@mantine/core'
import { words } from './format.ts'

const COLORS: Record<string, readonly string[]> = {
  green: [
    'CLOSED',
    'PAID',
    'APPROVED',
    'READY',
    'COMPLETED',
    'EXECUTED',
    'VERIFIED',
    'ACTIVE',
    'DONE',
    'TIED',
  ],
  red: [
    'DECLINED',
    'FAILED',
    'ISSUE_DETECTED',
    'BLOCKED',
    'REJECTED',
    'BROKEN',
    'PROHIBITED',
    'MISSING',
    'DIFFERENT',
  ],
  orange: [
    'TO_VALIDATE',
    'PENDING_VALIDATION',
    'PROPOSED',
    'REVIEWING',
    'TO_SIGN',
    'CHARGEBACK',
    'ADVICE',
  ],
  gray: ['CANCELED', 'DELETED', 'DEACTIVATED', 'EXPIRED', 'WITHDRAWN', 'INVALID', 'DRAFT'],
}

export function Status({ value }: { value: string }) {
  const found = Object.entries(COLORS).find(([, values]) => values.includes(value.toUpperCase()))
  return (
    <Badge variant="light" color={found?.[0] ?? 'blue'} miw="max-content">
      {words(value)}
    </Badge>
  )
}
