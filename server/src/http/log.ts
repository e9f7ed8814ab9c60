/** The log: JSON lines, and nothing secret in them whatever is logged. */
import { type DestinationStream, type Logger, pino } from 'pino'

const SECRET_NAMES = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'signature',
  'access_token',
  'api_key',
  'partner_key',
  'agent_key',
]

/** A logger of `level` (fatal … trace, or silent) to the standard output, or to `destination`. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const paths = SECRET_NAMES.flatMap(name => [name, `*.${name}`, `*.*.${name}`])
  const options = { level, base: null, redact: { paths, censor: '[secret]' } }
  return destination ? pino(options, destination) : pino(options)
}
