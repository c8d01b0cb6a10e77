import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../stage/pages.ts'
import { ROLES, type Role } from '../../stage/people.ts'
import { type Scene, startScene } from '../../stage/scene.ts'
import { HOSTILE } from '../../stage/upstream.ts'
import type { Watched } from '../../stage/watched.ts'
import { CHROMIUM, useBrowser } from './shown.ts'

/** Most calls of the API that a page makes, with who is signed in: what is around each page asks twice. */
const MAX_CALLS = 10

describe.runIf(CHROMIUM)('Every page', { tags: ['full'], timeout: 600_000 }, () => {
  const open = useBrowser()
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene()
  })
  afterAll(() => scene?.stop())
  const as = (role: Role, allowed: readonly RegExp[] = []): Promise<Watched> =>
    open(scene.origin, { person: scene.people[role], allowed })

  it.each(ROLES)(
    'shows the %s what is theirs to see, breaks no rule of its own, and asks nobody else',
    async (role) => {
      const { page, faults, calls, open: go } = await as(role)
      for (const { path, title, scope, shows } of PAGES) {
        await go(path)
        const headings = await page.getByRole('heading', { level: 1 }).allInnerTexts()
        expect.soft(headings, path).toEqual([title])
        expect.soft(await page.title(), path).toBe([title, scope, 'Headgate'].filter(Boolean).join(' – '))
        expect.soft(await page.getByRole('main').textContent(), `${path} as ${role}`).toMatch(shows[role])
        expect.soft(calls.length, `${path} asks ${calls.join(', ')}`).toBeLessThanOrEqual(MAX_CALLS)
        expect.soft(new Set(calls).size, `${path} asks nothing twice: ${calls.join(', ')}`).toBe(calls.length)
      }
      const rail = page.getByRole('navigation', { name: 'Pages' }).first().locator('ul a')
      const listed = await rail.evaluateAll((all: HTMLAnchorElement[]) => all.map(({ pathname }) => pathname))
      const theirs = PAGES.filter(({ isListed }) => isListed.includes(role)).map(({ path }) => path)
      expect(listed.toSorted()).toEqual(theirs.toSorted())
      expect(faults).toEqual([])
    },
  )

  it('takes what comes from models, providers, callers and people for text', async () => {
    const { page, faults, open: go } = await as('owner')
    const { items } = await scene.people.owner.ask<{ items: { requestId: string }[] }>('/usage')
    expect(items.length).toBe(5)
    const rows = items.map(({ requestId }) => `/requests?row=${requestId}`)
    let times = 0
    for (const path of [...PAGES.map((one) => one.path), ...rows, '/spend?by=key', '/requests?range=7d']) {
      await go(path)
      expect(await page.locator('img[src="x"]').count(), path).toBe(0)
      expect(await page.locator('main script').count(), path).toBe(0)
      if ((await page.getByRole('main').textContent())?.includes(HOSTILE)) times += 1
    }
    expect(times, 'pages that show it').toBeGreaterThanOrEqual(5)
    expect(faults).toEqual([])
  })

  it('says what of an address it does not know, and what is no page', async () => {
    const { page, faults, open: go } = await as('owner')
    await go('/requests?range=never&color=blue')
    await page.getByText(/Ignored unknown parameters.*color/).waitFor()
    await go('/no/such/page')
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Page not found')
    await go('/keys?row=key_gone')
    await page.getByText('Key not found').waitFor()
    expect(faults).toEqual([])
  })
})
