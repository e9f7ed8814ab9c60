/** Last chapter: the command `verify` recomputes the books. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, printChapter, printStep, UnexpectedResult } from './output.ts'

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))

export async function verifyBooks(): Promise<void> {
  printChapter('The books')
  const child = spawn(process.execPath, [main, 'verify'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  const [code, output] = await Promise.all([ended, text(child.stdout)])
  printStep('npm run -s headroom -- verify', ...output.trim().split('\n'))
  expect('the exit code of verify', code, 0)
  if (output.startsWith('0 entries')) {
    throw new UnexpectedResult(
      'verify looked at another database: give it the DATABASE_URL of the server',
    )
  }
}
