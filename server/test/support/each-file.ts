/** Runs before the tests of every file. Hooks added inside a test or another hook never run. */
import { afterAll } from 'vitest'
import { closeOpened } from './closing.ts'

afterAll(closeOpened)
