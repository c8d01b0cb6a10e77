import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { start } from './program.ts'
import { usageIn } from './stored.ts'
import { temporaryFolder } from './temporary.ts'
import { PROGRAM } from './tested.ts'
import { startUpstream } from './upstream.ts'

/** Requests that are made of a program. Their rows are more than 32 KB. */
const ASKED = 80

/** What a program is started with whose journal finds the disk full after so many bytes. */
const FULL = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { writeSync } = fs
let room = 20_000
fs.writeSync = (file, data, ...rest) => {
  if (!(data instanceof Uint8Array)) return writeSync(file, data, ...rest)
  if (room === 0) throw new Error('no space left on device')
  const [offset] = rest
  const written = writeSync(file, data, offset, Math.min(room, data.length - offset))
  room -= written
  return written
}
syncBuiltinESMExports()
`

describe('A program whose disk is full', { tags: ['full'] }, () => {
  /** Asks the program, ends it, and starts it again without what was in its way. */
  async function askAndEnd(
    files: Record<string, string>,
    options: (folder: string) => Partial<Parameters<typeof start>[0]>,
  ) {
    const { baseUrl } = await startUpstream()
    const provider = { adapter: 'openai-compatible', baseUrl, models: ['model-1'] }
    const folder = temporaryFolder({
      'headgate.config.json': { keys: ['sk-local'], providers: { mine: provider }, times: { drain: 0 } },
      ...files,
    })
    await (await start({ folder })).stop()

    const gateway = await start({ folder, ...options(folder) })
    const asked = await Promise.all(Array.from({ length: ASKED }, () => ask(gateway.url)))
    const ready = (await fetch(`${gateway.url}/readyz`)).status
    const code = await gateway.stop()

    const stored = (await usageIn(join(folder, '.headgate'))).map(({ requestId }) => requestId)
    const lines = gateway.log().map(({ msg }) => String(msg))
    const lost = lines.flatMap(
      (line) => /^\d+ usage rows are lost .*; requests: (.*)$/.exec(line)?.[1]?.split(', ') ?? [],
    )
    return { ready, code, asked: asked.sort(), stored, lost }
  }

  it('is not ready, answers, ends with 1 and names every row that is lost; all others are there', async () => {
    const { ready, code, asked, stored, lost } = await askAndEnd({ 'full.mjs': FULL }, (folder) => ({
      environment: { NODE_OPTIONS: `--import=${folder}/full.mjs` },
    }))
    expect([ready, code, lost.length > 0, stored.length > 0]).toEqual([503, 1, true, true])
    expect([...stored, ...lost].sort()).toEqual(asked)
  })

  it('for more than 32 KB a file goes on in another one, ends with 0, and all rows are there', async () => {
    const program = `exec ${process.execPath} ${PROGRAM.join(' ')} "$@"`
    const { ready, code, asked, stored, lost } = await askAndEnd(
      { limited: `#!/bin/sh\nulimit -f 64\n${program}\n` },
      (folder) => {
        chmodSync(join(folder, 'limited'), 0o700)
        return { program: join(folder, 'limited') }
      },
    )
    expect([ready, code, lost]).toEqual([200, 0, []])
    expect(stored.toSorted()).toEqual(asked)
  })
})

async function ask(url: string): Promise<string | null> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-local', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'model-1', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(answer.status).toBe(200)
  await answer.text()
  return answer.headers.get('x-request-id')
}
