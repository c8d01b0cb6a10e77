import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { fileOf, snippetsIn } from '../../../tools/docs/snippets.ts'
import { startInProcess } from './in-process.ts'
import { command } from './program.ts'
import { startReceiver } from './receiver.ts'
import { temporaryFolder } from './temporary.ts'

const PAGE = join(import.meta.dirname, '../../../docs/video.md')

type Verify = (headers: Headers, body: string, secret: string) => boolean

/** What the page of videos says that verifies a callback. */
async function documentedCheck(folder: string): Promise<Verify> {
  const snippet = snippetsIn('docs/video.md', readFileSync(PAGE, 'utf8')).find((one) => fileOf(one) === 'callback.ts')
  const file = join(folder, 'callback.ts')
  writeFileSync(file, snippet?.code ?? '')
  const { isHeadgates }: { isHeadgates: Verify } = await import(/* @vite-ignore */ pathToFileURL(file).href)
  return isHeadgates
}

describe('headgate keys callback-secret', () => {
  const folderWithKeys = () =>
    temporaryFolder({
      'headgate.config.json': {
        keys: ['sk-plain', { key: 'sk-named', name: 'laptop' }],
        providers: { demo: {} },
        video: { privateCallbacks: ['127.0.0.1'] },
      },
    })

  it('prints what verifies the callbacks of a key, as the documentation does it', async () => {
    const folder = folderWithKeys()
    const { url, called } = await startReceiver()
    const gateway = await startInProcess({ folder })
    const body = { model: 'demo', content: [{ type: 'text', text: 'a cat' }], duration: 1, callback_url: url }
    const headers = { authorization: 'Bearer sk-named', 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    expect((await fetch(`${gateway.url}/api/v3/contents/generations/tasks`, init)).status).toBe(200)
    await vi.waitUntil(() => called.some(({ body }) => JSON.parse(body).status === 'succeeded'), { timeout: 60_000 })
    await gateway.stop()

    const secretOf = async (reference: string) =>
      (await command(['keys', 'callback-secret', reference], { folder })).stdout.trim()
    const isHeadgates = await documentedCheck(folder)
    const [own, byId] = [await secretOf('laptop'), await secretOf(await idOf('sk-named'))]
    expect([own, own]).toEqual([expect.stringMatching(/^whsec_[\w+/]+=*$/), byId])
    const other = await secretOf(await idOf('sk-plain'))
    expect(called.map(({ headers, body }) => isHeadgates(headers, body, own))).toEqual(called.map(() => true))
    expect(called.map(({ headers, body }) => isHeadgates(headers, body, other))).toEqual(called.map(() => false))
    expect(called.map(({ headers, body }) => isHeadgates(headers, `${body} `, own))).toEqual(called.map(() => false))
  })

  it('knows stored keys by id and by name, those that are revoked by id, and nobody by a name that two have', async () => {
    const folder = folderWithKeys()
    for (const name of ['ci', 'twin', 'twin']) await command(['keys', 'create', '--name', name], { folder })
    const { stdout } = await command(['keys', 'list'], { folder })
    const id = /(key_\w{10}) +\S+ +ci /.exec(stdout)?.[1] ?? ''
    const ask = (reference: string) => command(['keys', 'callback-secret', reference], { folder })
    const byName = await ask('ci')
    expect(byName).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^whsec_/) })
    expect(await ask(id)).toEqual(byName)
    await command(['keys', 'revoke', id], { folder })
    expect(await ask(id)).toEqual(byName)
    for (const reference of ['ci', 'twin', 'nobody'])
      expect(await ask(reference)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`No key, or more than one, is named "${reference}"`),
      })
    expect(await command(['keys', 'callback-secret'], { folder })).toMatchObject({ code: 2 })
  })
})

/** The id that usage rows have of a configured key. */
async function idOf(key: string): Promise<string> {
  const { hashApiKey } = await import('@headgate/store')
  return `configured_${hashApiKey(key).slice(0, 8)}`
}
