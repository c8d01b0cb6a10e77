import { parentPort, workerData } from 'node:worker_threads'
import type { ChatSupport } from '../../../core/src/contract/chat.ts'
import type { ProviderInstance } from '../../../core/src/contract/provider.ts'
import { createGateway } from '../../src/gateway.ts'

/**
 * A gateway in a thread of its own, whose heap has a limit. Answers each request with its status and the CPU time that
 * it took.
 */
const { origin } = workerData as { origin: string }

const provider = (name: string, support: Omit<ChatSupport, 'path'>, model: string): ProviderInstance => ({
  name,
  claims: [],
  baseUrl: origin,
  credential: { kind: 'none' },
  chat: [{ ...support, path: () => '/' }],
  known: [{ id: model }],
})

const gateway = createGateway({
  providers: [
    provider('chat-completions', { format: 'chat-completions' }, 'gpt-5.4'),
    provider('messages', { format: 'messages', signer: 'claude' }, 'claude-opus-5'),
    provider('generate-content', { format: 'generate-content', signer: 'gemini' }, 'gemini-3-flash'),
  ],
  authenticate: () => ({ id: 'a' }),
  times: { backoff: 1 },
})

const spent = (): number => {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
  return (user + system) / 1000
}

interface Sent {
  readonly path: string
  readonly vendor: string
  readonly body: Uint8Array<ArrayBuffer>
}

parentPort?.on('message', ({ path, vendor, body }: Sent) => {
  const headers = {
    authorization: 'Bearer a',
    'content-type': 'application/json',
    vendor,
    'content-encoding': 'gzip',
  }
  const before = spent()
  gateway
    .fetch(new Request(`http://gateway.test${path}`, { method: 'POST', headers, body }))
    .then(async (response) => {
      await response.arrayBuffer()
      parentPort?.postMessage({ status: response.status, ms: spent() - before })
    })
    .catch((error: unknown) => {
      throw error
    })
})
