import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createDashboard, dashboardFiles } from '../src/index.ts'
import { type Built, built, ENTRY, staticOf, weightOf, withImports } from './build.ts'

let site: Built
beforeAll(async () => {
  site = await built()
})

/** In kB, as gzip. */
const FIRST_PAINT = 150
const ROUTE = 260
const STYLE = 20

describe('The files of the dashboard', () => {
  it('are the page, its icon, and what is named after its content', () => {
    const page = site.files.filter(({ isImmutable }) => !isImmutable).map(({ path, type }) => [path, type])
    expect(page).toEqual([
      ['/icon.svg', 'image/svg+xml'],
      ['/index.html', 'text/html; charset=utf-8'],
    ])
    for (const { path, type, isImmutable } of site.files) {
      if (isImmutable) expect(path).toMatch(/^\/assets\/[\w.-]+-[\w-]{8}\.(?:js|css)$/)
      expect(type).not.toBe('')
    }
  })

  it('are there compressed, and the same', () => {
    for (const { path, bytes, brotli, gzip } of site.files) {
      if (brotli) expect([path, brotliDecompressSync(brotli).equals(bytes)]).toEqual([path, true])
      if (gzip) expect([path, gunzipSync(gzip).equals(bytes)]).toEqual([path, true])
      if (bytes.length > 1_000) expect([path, brotli !== undefined, gzip !== undefined]).toEqual([path, true, true])
    }
  })

  it('hold nothing that a strict policy of content forbids', () => {
    const page = String(site.files.find(({ path }) => path === '/index.html')?.bytes)
    for (const [, attributes = '', text = ''] of page.matchAll(/<script([^>]*)>([^<]*)/g)) {
      expect(attributes).toMatch(/ src="\.\/assets\//)
      expect(text.trim()).toBe('')
    }
    expect(page).not.toMatch(/<style|\son\w+=|style=|https?:/)
    for (const { path, type, bytes } of site.files)
      if (type.startsWith('text/css')) expect([path, /url\(|@import/.test(String(bytes))]).toEqual([path, false])
  })

  it('have the outline of a page before any script, except where nobody is signed in', async () => {
    const page = site.files.find(({ path }) => path === '/index.html')
    const html = String(page?.bytes)
    const outline = html.slice(html.indexOf('<div id="root">'), html.indexOf('<noscript>'))
    expect(outline.match(/<div/g)?.length).toBeGreaterThan(5)
    // Browsers count only text and pictures as content.
    expect(outline).toContain('Headgate')
    const styles = site.files.find(({ type }) => type.startsWith('text/css'))
    // The styles of the outline are loaded by the page itself.
    expect(html).toContain(`href=".${styles?.path}"`)
    for (const name of ['w-48', 'bg-line', 'border-line']) expect(String(styles?.bytes)).toContain(`.${name}`)
    const dashboard = createDashboard(site.files)
    const server = createServer((request, response) => void dashboard?.(request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    for (const [path, has] of [
      ['/', true],
      ['/requests', true],
      ['/sign-in', false],
      ['/invite', false],
    ] as const) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html' } })
      expect([path, (await response.text()).includes('aria-hidden="true"')]).toEqual([path, has])
    }
  })

  it('have the scripts of the page at the address in its HTML, but not those of others', async () => {
    const dashboard = createDashboard(site.files, '/below')
    const server = createServer((request, response) => void dashboard?.(request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const scripts = (name: string): string => `href="/below/${site.chunks[`pages/${name}/page.tsx`]?.file}"`
    for (const [path, own] of [
      ['/', 'now'],
      ['/spend?range=7d', 'spend'],
      ['/sign-in', undefined],
    ] as const) {
      const html = await (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html' } })).text()
      expect([path, ['now', 'spend', 'keys'].filter((name) => html.includes(scripts(name)))]).toEqual([
        path,
        own === undefined ? [] : [own],
      ])
      // Where nobody may be signed in, a later request would get the response of this one.
      expect([path, html.includes('href="/below/api/v1/me"')]).toEqual([path, own === 'spend'])
    }
  })

  it('are none where nothing was built', () => {
    const folder = mkdtempSync(join(tmpdir(), 'headgate-dashboard-'))
    try {
      expect(dashboardFiles(pathToFileURL(`${folder}/`))).toEqual([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('Every page', () => {
  const entry = () => [...withImports(site.chunks, [ENTRY])]
  const pages = () => (site.chunks[ENTRY]?.dynamicImports ?? []).filter((name) => name.startsWith('pages/'))

  it(`is drawn with at most ${FIRST_PAINT} kB of script`, () => {
    expect(pages().length).toBeGreaterThan(10)
    for (const page of pages()) {
      const weight = weightOf(site, new Set([...entry(), ...withImports(site.chunks, [page])]))
      expect(weight, page).toBeLessThanOrEqual(FIRST_PAINT)
    }
  })

  it(`has at most ${ROUTE} kB with all that it loads later`, () => {
    const own = new Set(entry())
    const menu = Object.keys(site.chunks).filter((name) => name.startsWith('shell/'))
    for (const page of pages()) {
      const all = withImports(site.chunks, [page, ...menu], (chunk) => [
        ...staticOf(chunk),
        // The way in names all pages: those of others are theirs.
        ...(chunk.dynamicImports ?? []).filter((name) => !name.startsWith('pages/')),
      ])
      expect(weightOf(site, new Set([...own, ...all])), page).toBeLessThanOrEqual(ROUTE)
    }
  })

  it(`has at most ${STYLE} kB of style`, () => {
    const style = site.files
      .filter(({ type }) => type.startsWith('text/css'))
      .reduce((sum, { gzip, bytes }) => sum + (gzip ?? bytes).length, 0)
    expect(style / 1_000).toBeLessThanOrEqual(STYLE)
  })
})
