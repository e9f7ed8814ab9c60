/** A sandbox whose operators enter and review companies starts, and starts again. */
import { expect, onTestFinished, test } from 'vitest'
import { dataFolder, freePort, startService } from '../support/service.ts'

const MANUAL = { HEADROOM_REGISTRY: 'manual', HEADROOM_COMPLIANCE: 'manual' }

test('its first start leaves demo partners without companies, and the next one too', async () => {
  const data = dataFolder()
  onTestFinished(data.remove)
  for (const _ of ['first', 'next']) {
    const service = await startService(data.folder, await freePort(), MANUAL)
    expect(service.credentials.partner_key).toBeTruthy()
    expect(await service.stop()).toBe(0)
  }
})
