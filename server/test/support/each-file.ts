/** Loaded before each test file, because a hook added inside a test or another hook never runs. */
import { afterAll } from 'vitest'
import { closeOpened } from './closing.ts'

afterAll(closeOpened)
