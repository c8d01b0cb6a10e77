import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { OWNER } from '../../stage/people.ts'
import { startEmpty } from '../../stage/scene.ts'
import { CHROMIUM, useBrowser } from './shown.ts'

/** A reverse proxy that serves a gateway below `/models`, as nginx does with and without a path in `proxy_pass`. */
async function startProxy(keepsPath: boolean): Promise<{ readonly origin: string; target: string }> {
  const proxy = { origin: '', target: '' }
  const server = createServer((from, to) => {
    const { url = '/', method, headers } = from
    if (!url.startsWith('/models/')) return void to.writeHead(404).end()
    const path = keepsPath ? url : url.slice('/models'.length)
    const forwarded = request(new URL(proxy.target), { path, method, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(to)
    })
    forwarded.on('error', () => to.destroy())
    to.on('close', () => forwarded.destroy())
    from.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  proxy.origin = `http://localhost:${(server.address() as AddressInfo).port}`
  return proxy
}

describe.runIf(CHROMIUM)('The dashboard below a path', { tags: ['full'], timeout: 600_000 }, () => {
  const open = useBrowser()

  it.each([
    ['removes the path', false],
    ['passes the path on', true],
  ])('works behind a proxy that %s', async (_, keepsPath) => {
    const proxy = await startProxy(keepsPath)
    const { program, stop } = await startEmpty({ accounts: { publicUrl: `${proxy.origin}/models/` } })
    onTestFinished(stop)
    proxy.target = program.address
    expect(program.firstLink.startsWith(`${proxy.origin}/models/`)).toBe(true)
    const { page, settled } = await open(proxy.origin, { allowed: [/status of 401 .*\/me$/] })

    await page.goto(program.firstLink)
    await page.getByLabel('Email').fill(OWNER.email)
    await page.getByLabel('Name').fill(OWNER.name)
    await page.getByLabel('Password').fill(OWNER.password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL(`${proxy.origin}/models/start`)
    await settled()
    expect(await page.content()).toContain(`${proxy.origin}/models/v1/chat/completions`)

    // A page that is opened by its address, with rows behind a link.
    const answer = await fetch(`${proxy.origin}/models/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${program.firstKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Say hello.' }] }),
    })
    expect(answer.status).toBe(200)
    const id = answer.headers.get('x-request-id') ?? ''
    await page.goto(`${proxy.origin}/models/requests?range=24h`)
    await page.locator(`[data-row="${id}"]`).click()
    await page.waitForURL(`${proxy.origin}/models/requests?range=24h&row=${id}`)
    await page.getByRole('link', { name: 'Spend' }).first().click()
    await page.waitForURL((url) => url.pathname === '/models/spend')
    await page.reload()
    await page.getByRole('heading', { name: 'Spend', exact: true }).waitFor()
  })
})
