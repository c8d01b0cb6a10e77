import { describe, expect, it } from 'vitest'
import { startInProcess } from './in-process.ts'
import { temporaryFolder } from './temporary.ts'

const AUTHORIZATION = { authorization: 'Bearer sk-local' }

describe('server.origins', () => {
  it('lets exact origins call model paths, and nothing else', async () => {
    const origin = 'app://obsidian.md'
    const config = { keys: ['sk-local'], providers: { demo: {} }, server: { origins: [origin] } }
    const gateway = await startInProcess({ folder: temporaryFolder({ 'headgate.config.json': config }) })
    await expect.poll(() => gateway.output()).toContain('server.origins: app://obsidian.md may call model paths')
    const seen = async (path: string, init: RequestInit = {}) => {
      const { status, headers } = await fetch(`${gateway.url}${path}`, init)
      return [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]
    }
    const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } }
    const read = { headers: { ...AUTHORIZATION, origin } }
    for (const path of ['/v1/chat/completions', '/chat/completions'])
      expect(await seen(path, preflight), path).toEqual([204, origin, null])
    for (const path of ['/v1/models', '/models']) expect(await seen(path, read), path).toEqual([200, origin, null])
    expect(await seen('/v1/models', { headers: { ...AUTHORIZATION, origin: 'app://other.md' } })).toEqual([
      403,
      null,
      null,
    ])
    for (const path of ['/api/v1/me', '/metrics']) {
      expect(await seen(path, preflight), path).toEqual([path === '/metrics' ? 405 : 403, null, null])
      expect(await seen(path, read), path).toEqual([403, null, null])
    }
    expect((await seen('/', { headers: { origin, accept: 'text/html' } }))[1]).toBe(null)
  })
})
