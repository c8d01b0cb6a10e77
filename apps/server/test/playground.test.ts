import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { itAlsoWithWorkers, startSignedIn } from './signed-in.ts'
import { startUpstream } from './upstream.ts'

const CHAT = '/playground/v1/chat/completions'
const HELLO = { model: 'model-1', messages: [{ role: 'user', content: 'Say hello.' }] }

async function startProgram(config: object = {}, args: readonly string[] = []) {
  const upstream = await startUpstream()
  const providers = {
    mine: { adapter: 'openai-compatible', baseUrl: upstream.baseUrl, apiKey: 'upstream-secret', models: ['model-1'] },
  }
  const prices = { 'mine/model-1': { input: 1_000, output: 1_000 } }
  return { ...(await startSignedIn({ providers, prices, ...config }, { args })), upstream }
}

interface KeyInfo {
  readonly id: string
  readonly name?: string
  readonly environment: string
  readonly project: string
  readonly createdBy?: string
}

describe('Models that are asked by a page', () => {
  itAlsoWithWorkers('are asked by a key of one’s own, which no browser gets', async (args) => {
    const { owner, gateway } = await startProgram({}, args)
    const said: string[] = []
    const ids: (string | null)[] = []
    for (let nth = 0; nth < 4; nth++) {
      const good = await owner.ask(CHAT, { body: HELLO, headers: { connection: 'close' } })
      expect([good.status, good.headers.get('headgate-vendor')]).toEqual([200, 'mine'])
      expect(good.headers.get('content-security-policy')).toContain('sandbox')
      ids.push(good.headers.get('x-request-id'))
      said.push(JSON.stringify([...good.headers]) + (await good.text()))
    }
    // One key, whichever worker has made it.
    const { items } = await owner.read<{ items: KeyInfo[] }>('/keys')
    const own = items.filter(({ name }) => name === 'Playground')
    expect(own).toMatchObject([
      { environment: 'playground', project: 'prj_default', createdBy: expect.stringMatching(/^per_/) },
    ])
    await vi.waitUntil(async () => (await owner.ask(`/usage/${ids[0]}`)).ok, { timeout: 60_000 })
    expect(await owner.read(`/usage/${ids[0]}`)).toMatchObject({
      principal: own[0]?.id,
      environment: 'playground',
      provider: 'mine',
    })
    const { items: rows } = await owner.read<{ items: object[] }>('/usage')
    said.push(JSON.stringify(items), JSON.stringify(rows), gateway.output())
    for (const text of said) expect(text).not.toMatch(/hg_x_\w{36}|upstream-secret/)
  })

  it('stream to the page, and are left when it leaves', async () => {
    const { owner, upstream } = await startProgram()
    const leave = new AbortController()
    const answer = await owner.ask(CHAT, { body: { ...HELLO, stream: true }, signal: leave.signal })
    expect([answer.headers.get('content-type'), answer.headers.get('x-accel-buffering')]).toEqual([
      expect.stringContaining('text/event-stream'),
      'no',
    ])
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    // The first chunk is there while the upstream is at the second.
    expect((await reader?.read())?.value).toContain('Hel')
    const [open] = upstream.streams
    leave.abort()
    await vi.waitUntil(() => open?.destroyed ?? false, { timeout: 60_000 })
  })

  it('may be sent what is larger than other bodies here: images', async () => {
    const { owner } = await startProgram()
    const url = `data:image/png;base64,${'A'.repeat(2_000_000)}`
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url } },
    ]
    const answer = await owner.ask(CHAT, { body: { ...HELLO, messages: [{ role: 'user', content }] } })
    expect(answer.status, await answer.text()).toBe(200)
    expect((await owner.ask('/keys', { body: { name: 'A'.repeat(300_000) } })).status).toBe(413)
  })

  it('are sent a recording as a form, and answer with sound and pictures, but no form of another page', async () => {
    const { owner, gateway, origin } = await startProgram({ providers: { demo: {} } })
    const speech = await owner.ask('/playground/v1/audio/speech', {
      body: { model: 'demo', input: 'Hello.', voice: 'alloy' },
    })
    expect([speech.status, speech.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    expect(speech.headers.get('content-security-policy')).toContain('sandbox')
    const sound = await speech.blob()
    const transcribe = async (headers: Record<string, string>) => {
      const form = new FormData()
      form.set('model', 'demo')
      form.set('response_format', 'srt')
      form.set('file', sound, 'hello.wav')
      return fetch(`${gateway.url}/api/v1/playground/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { origin, cookie: owner.cookie, ...headers },
        body: form,
      })
    }
    const transcript = await transcribe({ 'x-requested-with': 'headgate' })
    expect([transcript.status, await transcript.text()]).toEqual([200, expect.stringContaining('00:00:00,000 --> ')])
    // A form of another page has no such header, and its own origin.
    expect((await transcribe({})).status).toBe(403)
    expect((await transcribe({ 'x-requested-with': 'headgate', origin: 'https://evil.example' })).status).toBe(403)
    // Only model paths take forms.
    const headers = { origin, cookie: owner.cookie, 'x-requested-with': 'headgate' }
    const key = await fetch(`${gateway.url}/api/v1/keys`, { method: 'POST', headers, body: new FormData() })
    expect(key.status).toBe(403)
    const edit = new FormData()
    edit.set('model', 'demo')
    edit.set('prompt', 'a fox')
    const picture = await owner.read<{ data: { b64_json: string }[] }>('/playground/v1/images/generations', {
      body: { model: 'demo', prompt: 'a fox' },
    })
    edit.append('image[]', new Blob([Buffer.from(picture.data[0]?.b64_json ?? '', 'base64')]), 'fox.png')
    const edited = await fetch(`${gateway.url}/api/v1/playground/v1/images/edits`, {
      method: 'POST',
      headers,
      body: edit,
    })
    expect(edited.status, await edited.clone().text()).toBe(200)
    expect((await edited.json()) as object).toMatchObject({ data: [{ b64_json: expect.stringMatching(/^iVBOR/) }] })
  })

  it('are not asked by pages of others, by keys, or by who only looks on', async () => {
    const { owner, nobody, member, gateway, key, origin } = await startProgram()
    const viewer = await member('viewer')
    expect((await viewer.ask(CHAT, { body: HELLO })).status).toBe(403)
    expect((await nobody.ask(CHAT, { body: HELLO })).status).toBe(401)
    expect((await owner.ask(CHAT, { body: HELLO, headers: { authorization: `Bearer ${key()}` } })).status).toBe(403)
    for (const headers of [{ origin: 'https://evil.example' }, { 'content-type': 'text/plain' }])
      expect((await owner.ask(CHAT, { body: HELLO, headers })).status).toBe(403)
    const bare = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${gateway.url}/api/v1${path}`, { headers: { cookie: owner.cookie, ...headers } })
    // What a link or an image of another page would have a browser ask.
    expect((await bare('/playground/customsearch/v1?q=routing')).status).toBe(403)
    expect((await bare('/playground/v1/models', { 'content-type': 'application/json' })).status).toBe(200)
    // The model paths themselves take no session.
    expect((await fetch(`${gateway.url}/v1/models`, { headers: { cookie: owner.cookie, origin } })).status).toBe(403)
    expect((await owner.ask('/playground/v1/nothing', { body: {} })).status).toBe(404)
    expect((await owner.ask('/playground/api/v1/keys', { body: {} })).status).toBe(404)
    expect((await owner.ask(CHAT, { method: 'PUT', body: {} })).status).toBe(405)
  })

  it('spend what their budgets leave, of the person, the project and the key', async () => {
    const { owner, member } = await startProgram()
    const bob = await member('member')
    const ask = async () => (await bob.ask(CHAT, { body: { ...HELLO, max_tokens: 100 } })).status
    expect(await ask()).toBe(200)
    const me = await bob.read<{ id: string }>('/me')
    await owner.read('/budgets', { body: { scope: 'member', owner: me.id, limit: '1', period: 'forever' } })
    await vi.waitFor(async () => expect(await ask()).toBe(429), { timeout: 60_000 })
    expect((await owner.ask(CHAT, { body: { ...HELLO, max_tokens: 100 } })).status).toBe(200)
  })

  it('are asked by another key once the one before is revoked, and by the same one with another secret', async () => {
    const { owner } = await startProgram()
    const status = async () => (await owner.ask(CHAT, { body: HELLO })).status
    const own = async () =>
      (await owner.read<{ items: KeyInfo[] }>('/keys?state=active')).items.filter(({ name }) => name === 'Playground')
    expect(await status()).toBe(200)
    const [first] = await own()
    await owner.read(`/keys/${first?.id}/rotate`, { body: { overlapMs: 0 } })
    expect([await status(), (await own()).map(({ id }) => id)]).toEqual([200, [first?.id]])
    await owner.read(`/keys/${first?.id}/revoke`, { body: {} })
    await vi.waitFor(async () => expect(await status()).toBe(200), { timeout: 60_000 })
    expect((await own()).map(({ id }) => id)).not.toContain(first?.id)
  })

  it('are asked in the name of a project', async () => {
    const { owner } = await startProgram()
    const { id } = await owner.read<{ id: string }>('/projects', { body: { name: 'Website' } })
    expect((await owner.ask(`${CHAT}?project=${id}`, { body: HELLO })).status).toBe(200)
    expect((await owner.ask(`${CHAT}?project=prj_nowhere`, { body: HELLO })).status).toBe(404)
    const { items } = await owner.read<{ items: KeyInfo[] }>('/keys')
    expect(items.filter(({ name }) => name === 'Playground')).toMatchObject([{ project: id }])
  })

  it('are told nothing of the browser', async () => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(JSON.stringify([request.url, request.rawHeaders]))
      request
        .resume()
        .on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[]}'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const { owner } = await startProgram({
      providers: { mine: { adapter: 'openai-compatible', baseUrl, apiKey: 'upstream-secret', models: ['model-1'] } },
    })
    await (await owner.ask(CHAT, { body: HELLO, headers: { referer: 'http://localhost/secret-page' } })).text()
    expect(seen.filter((one) => one.includes('chat'))).not.toEqual([])
    for (const one of seen) expect(one).not.toMatch(/headgate=|secret-page|origin/i)
  })
})

describe('What went over the wire', () => {
  interface Trace {
    readonly requestId: string
    readonly calls: readonly {
      readonly provider?: string
      readonly body: { readonly text: string }
      readonly answer: { readonly body: { readonly text: string } }
    }[]
  }

  it('is there for requests of the playground, to those who made them and to admins, and encrypted in the store', async () => {
    const { owner, member, folder } = await startProgram()
    const [bob, eve, viewer] = [await member('member'), await member('member'), await member('viewer')]
    const answer = await bob.ask(CHAT, { body: { ...HELLO, user: 'a private word' } })
    const text = await answer.text()
    const path = `/traces/${answer.headers.get('x-request-id')}`
    await vi.waitUntil(async () => (await bob.ask(path)).ok, { timeout: 60_000 })
    const trace = await bob.read<Trace>(path)
    expect(trace.calls).toMatchObject([
      { body: { text: expect.stringContaining('a private word') }, answer: { body: { text } } },
      { provider: 'mine' },
    ])
    expect(JSON.stringify(trace)).not.toMatch(/hg_x_\w|upstream-secret|headgate=/)
    expect(await owner.read(path)).toEqual(trace)
    expect([(await eve.ask(path)).status, (await viewer.ask(path)).status]).toEqual([404, 403])
    // The audit log says of admins what they have read of others.
    const { items } = await owner.read<{ items: { action: string; target?: string }[] }>('/audit')
    expect(items.filter(({ action }) => action === 'trace.read')).toEqual([
      expect.objectContaining({ target: trace.requestId }),
    ])
    const files = readdirSync(join(folder, '.headgate')).filter((name) => name.startsWith('headgate.db'))
    for (const file of files)
      expect(readFileSync(join(folder, '.headgate', file)).includes('a private word'), file).toBe(false)
  })

  itAlsoWithWorkers('is kept for other keys where an admin has switched it on, and for no others', async (args) => {
    const { owner, member, gateway } = await startProgram({}, args)
    const { key, stored } = await owner.read<{ key: string; stored: KeyInfo }>('/keys', { body: { name: 'web' } })
    const ask = async () => {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify(HELLO),
      })
      await answer.text()
      return answer.headers.get('x-request-id')
    }
    const isKept = async () => (await owner.ask(`/traces/${await ask()}`)).ok
    await ask()
    expect(await isKept()).toBe(false)
    const switching = `/keys/${stored.id}/trace`
    for (const hours of [0, 25])
      expect((await owner.ask(switching, { method: 'PUT', body: { hours } })).status).toBe(400)
    expect((await (await member('member')).ask(switching, { method: 'PUT', body: { hours: 1 } })).status).toBe(403)
    const { tracedUntil } = await owner.read<{ tracedUntil: number }>(switching, { method: 'PUT', body: { hours: 1 } })
    expect(Math.abs(tracedUntil - Date.now() - 3_600_000)).toBeLessThan(60_000)
    // In both workers within a second.
    await vi.waitUntil(isKept, { timeout: 60_000, interval: 250 })
    await owner.read(switching, { method: 'DELETE' })
    await vi.waitUntil(async () => !(await isKept()), { timeout: 60_000, interval: 250 })
  })
})
