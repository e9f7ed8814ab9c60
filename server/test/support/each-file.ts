/** Runs before the tests of every file. A hook that a test or another hook adds is never called. */
import { afterAll } from 'vitest'
import { closeOpened } from './closing.ts'

afterAll(closeOpened)
