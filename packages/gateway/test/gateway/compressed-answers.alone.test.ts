import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { CHAT, chatRequest } from '../../../core/test/support/wire.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

it('A compressed answer cannot inflate more than the limit of answers', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))
  const upstream = await startUpstream((call) => {
    call.head(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    call.end(bomb)
  })
  const before = process.memoryUsage().arrayBuffers
  const { post } = await startGateway('node', {
    providers: [chatProvider(upstream.url)],
    limits: { answer: 100_000 },
  })
  const response = await post(CHAT, chatRequest)
  expect([response.status, await response.text()]).toEqual([
    500,
    expect.stringContaining('alpha responded with more than 100000 bytes.'),
  ])
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024)
})
