import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway, memoryTasks } from '../../src/index.ts'
import type { Signer } from '../../src/ports.ts'

/**
 * A process that serves the file of one task, `<origin>/film.mp4`: says its port, and when asked the most memory that
 * it has had.
 */
const [origin = ''] = process.argv.slice(2)
const links: Signer = { sign: () => 'sig', verify: (_, __, signature) => signature === 'sig' }
const store = memoryTasks()
const at = Date.now()
await store.add(
  {
    id: 'cgt-1',
    family: 'video',
    owner: 'key-1',
    model: 'reel-1',
    provider: 'films',
    providerModel: 'reel-1',
    tier: 'default',
    status: 'succeeded',
    createdAt: at,
    updatedAt: at,
    keptUntil: at + 86_400_000,
    version: 1,
    data: {
      intent: 'i',
      requestId: 'r',
      ref: { id: 'u' },
      expiresAt: at,
      losses: [],
      attempts: [],
      asked: {},
      misses: 0,
      missing: 0,
      got: { assets: { video: { url: `${origin}/film.mp4`, needsCredential: true } } },
    },
  },
  0,
)
const gateway = createGateway({
  providers: [
    {
      name: 'films',
      claims: [],
      baseUrl: origin,
      credential: { kind: 'header', name: 'authorization', value: 'Bearer sk-films' },
      video: {
        create: { request: () => ({ method: 'POST', url: '/' }), response: () => ({ id: 'u' }) },
        get: { request: () => ({ method: 'GET', url: '/' }), response: () => ({ status: 'running' }) },
      },
    },
  ],
  tasks: { store, publicUrl: () => '', links, callbackSecret: () => '' },
})
const server = createServer((request, response) => gateway.node(request, response))
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))

let most = 0
const measure = (): number => {
  most = Math.max(most, process.memoryUsage.rss())
  return most
}
setInterval(measure, 20)
process.on('message', () => process.send?.({ most: measure() }))
process.on('disconnect', () => process.exit())
