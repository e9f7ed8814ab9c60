/** `hello`, which checks that the URL and the key are correct. */
import { z } from 'zod'
import { operations } from './define.ts'

export const systemOperations = operations({
  hello: {
    method: 'GET',
    path: '/hello',
    summary: 'Check the address and the key',
    scope: 'any',
    gated: false,
    success: 200,
    answer: z.string(),
    media_type: 'text/plain',
    problems: [],
  },
})
