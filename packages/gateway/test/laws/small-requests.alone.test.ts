import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Json } from '../../../core/src/canonical/json.ts'
import { REQUESTS } from '../../../core/test/laws/shapes/index.ts'
import { startUpstream } from '../support/upstream.ts'

/** Bytes of a request as it is sent. */
const SMALL = 32 * 1024
/** What it may cost: CPU time in milliseconds, and memory in megabytes. */
const MOST_MS = 300
const MOST_MB = 200
const TRIES = 4

const PATHS: Readonly<Record<string, { readonly path: string; readonly model: string }>> = {
  'chat-completions': { path: '/v1/chat/completions', model: 'gpt-5.4' },
  messages: { path: '/v1/messages', model: 'claude-opus-5' },
  'generate-content': { path: '/v1beta/models/gemini-3-flash:generateContent', model: 'gemini-3-flash' },
}

interface Answer {
  readonly status: number
  readonly ms: number
}

type Send = (id: string, vendor: string, body: Uint8Array) => Promise<Answer>

/** A gateway whose thread ends when it needs more memory than it may have. */
async function startGate(): Promise<Send> {
  const upstream = await startUpstream((call) => call.answer(400, { error: { message: 'no' } }))
  const worker = new Worker(new URL('./gate.worker.ts', import.meta.url), {
    workerData: { origin: upstream.origin },
    resourceLimits: { maxOldGenerationSizeMb: MOST_MB },
  })
  onTestFinished(async () => void (await worker.terminate()))
  return async (id, vendor, body) => {
    worker.postMessage({ path: PATHS[id]?.path, vendor, body })
    const [answer] = (await once(worker, 'message')) as [Answer]
    return answer
  }
}

const withModel = (id: string, body: Json): Json =>
  id === 'generate-content' ? body : { ...body, model: PATHS[id]?.model, max_tokens: 5 }

/** Pieces of the largest body that is tried: it is several megabytes. */
const MOST_PIECES = 60_000

/** A body of a shape that is about as large as a small request may be once it is written. */
function largest(make: (size: number) => Json): Buffer {
  let size = 1000
  let bytes = packed(make(size))
  for (let step = 0; step < 3; step++) {
    const next = Math.min(MOST_PIECES, Math.floor((0.98 * size * SMALL) / bytes.length))
    const tried = packed(make(next))
    if (tried.length > SMALL && bytes.length <= SMALL) break
    size = next
    bytes = tried
  }
  return bytes
}

const packed = (body: Json): Buffer => gzipSync(JSON.stringify(body))

/** The formats that have a path. */
const SHAPES = Object.entries(REQUESTS).filter(([id]) => id in PATHS)

describe.each(SHAPES)('A request of 32 kB in %s', { tags: ['full'] }, (id, shapes) => {
  it(`costs ${MOST_MS} ms of CPU time and ${MOST_MB} MB at most, whatever it becomes`, async () => {
    const send = await startGate()
    const dear: string[] = []
    for (const [name, make] of Object.entries(shapes)) {
      const bytes = largest((size) => withModel(id, make(size)))
      for (const vendor of Object.keys(PATHS)) {
        let least = Number.POSITIVE_INFINITY
        for (let attempt = 0; attempt < TRIES && least > MOST_MS; attempt++)
          least = Math.min(least, (await send(id, vendor, bytes)).ms)
        if (least > MOST_MS) dear.push(`${name}, to ${vendor}: ${least.toFixed(0)} ms`)
      }
    }
    expect(dear).toEqual([])
  }, 180_000)

  it('that becomes 32 MB of empty objects is refused', async () => {
    const send = await startGate()
    const objects = Buffer.from(`{"model":"m","x":[${'{},'.repeat(11_000_000)}{}]}`)
    const { status, ms } = await send(id, 'messages', gzipSync(objects))
    expect(status).toBe(413)
    expect(ms).toBeLessThan(MOST_MS)
  })
})
