import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findChromium, launchChromium } from '../../dashboard/stage/chromium.ts'
import { createDocs } from '../src/index.ts'

const PACKAGE = resolve(import.meta.dirname, '..')
const CHROMIUM = findChromium()

/** Server that answers as the program does behind a proxy which removes `basePath`. */
async function serve(basePath = '', site?: URL) {
  const docs = createDocs(basePath, site)
  const server = createServer((request, response) => {
    if (basePath !== '' && request.url?.startsWith(basePath)) request.url = request.url.slice(basePath.length)
    if (!docs(request, response)) response.writeHead(418).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  return {
    origin: `${origin}${basePath}`,
    get: (path: string, init: RequestInit = {}) =>
      fetch(`${origin}${basePath}${path}`, { redirect: 'manual', ...init }),
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

describe('Paths of the documentation', () => {
  it('name the command that builds the site where there is none, and leave other paths alone', async () => {
    const { get, stop } = await serve('', pathToFileURL(`${join(PACKAGE, 'no-such-folder')}/`))
    const missing = await get('/docs/errors')
    expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining('pnpm build:site')])
    expect((await get('/docs')).headers.get('location')).toBe('/docs/')
    expect((await get('/documents')).status).toBe(418)
    expect((await get('/docs/errors', { method: 'POST' })).status).toBe(418)
    stop()
  })
})

describe('The documentation site', { tags: ['full'], timeout: 240_000 }, () => {
  let site: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    const { status, stderr } = spawnSync(process.execPath, [join(PACKAGE, 'build/site.ts')], { encoding: 'utf8' })
    // A dead link between pages fails the build.
    expect(status, stderr).toBe(0)
    site = await serve('/models')
  }, 240_000)
  afterAll(() => site.stop())

  it('has pages as HTML and as Markdown, and a list of them for models', async () => {
    const page = await site.get('/docs/errors')
    const html = await page.text()
    expect(html).toContain('id="over-budget"')
    expect(html).not.toContain('/__headgate_docs__/')
    expect(html).toContain('/models/docs/assets/')
    const known = await site.get('/docs/errors', { headers: { 'if-none-match': page.headers.get('etag') ?? '' } })
    expect(known.status).toBe(304)
    expect(await (await site.get('/docs/errors.md')).text()).toMatch(/^# /)
    expect(await (await site.get('/docs/llms.txt')).text()).toContain('](errors.md)')
    expect((await site.get('/docs/configuration')).status).toBe(200)
    for (const path of ['/docs/none', '/docs/..%2f..%2fpackage.json', '/docs/%E0%A4%A'])
      expect((await site.get(path)).status).toBe(404)
  })

  it.runIf(CHROMIUM)('works in a browser: search, deep links, dark mode, no blocked script', async () => {
    const browser = await launchChromium(CHROMIUM ?? '')
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
      const problems: string[] = []
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
      page.on('pageerror', (error) => problems.push(error.message))
      await page.goto(`${site.origin}/docs/`)
      await page.getByRole('link', { name: 'How do I continue a stored response?' }).click()
      await page.waitForURL('**/docs/responses')
      await page.getByRole('button', { name: 'Search', exact: true }).click()
      await page.getByPlaceholder('Search').fill('over-budget')
      await page.locator('.result').first().click()
      await page.locator('h1').waitFor()
      await page.goto(`${site.origin}/docs/errors#over-budget`)
      expect(await page.locator('#over-budget').isVisible()).toBe(true)
      await page.getByRole('switch', { name: /theme/i }).first().click()
      expect(await page.locator('html').getAttribute('class')).toContain('dark')
      expect(problems).toEqual([])
    } finally {
      await browser.close()
    }
  })
})
