import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../stage/pages.ts'
import { type Scene, startScene } from '../../stage/scene.ts'
import { PATIENCE } from '../../stage/watched.ts'
import { CHROMIUM, useBrowser } from './shown.ts'

const SOON = { timeout: PATIENCE, interval: 500 }
/** Most steps of a walk through a page. */
const MOST_STEPS = 150

describe.runIf(CHROMIUM)('By keyboard alone', { tags: ['full'], timeout: 600_000 }, () => {
  const open = useBrowser()
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene()
  })
  afterAll(() => scene?.stop())

  it('pages are gone to by two letters, and found by their names', async () => {
    const { page, faults, open: go, settled } = await open(scene.origin, { person: scene.people.owner })
    await go('/spend')
    for (const [letters, title] of [
      ['gk', 'Keys'],
      ['gr', 'Requests'],
      ['gb', 'Budgets and limits'],
    ] as const) {
      // Two letters belong together where they come soon after each other.
      await expect
        .poll(async () => {
          await page.keyboard.type(letters)
          return page.getByRole('heading', { level: 1, name: title }).isVisible()
        }, SOON)
        .toBe(true)
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    }
    await page.keyboard.press('Control+k')
    const menu = page.getByRole('dialog', { name: 'Go to…' })
    await menu.waitFor()
    await page.keyboard.type('playg')
    await menu.getByRole('option', { name: /Playground/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
    await menu.waitFor({ state: 'detached' })
    await settled()
    await page.getByLabel('Message', { exact: true }).last().focus()
    await page.keyboard.type('gk')
    expect(await page.getByLabel('Message', { exact: true }).last().inputValue()).toBe('gk')
    expect(faults).toEqual([])
  })

  it('a request is opened, walked on from and closed, and the focus is back where it was', async () => {
    const { page, faults, open: go, settled } = await open(scene.origin, { person: scene.people.owner })
    await go('/requests')
    const focused = (): Promise<string | undefined> =>
      page.evaluate(() =>
        document.activeElement instanceof HTMLElement ? document.activeElement.dataset['row'] : undefined,
      )
    await page.keyboard.press('j')
    const first = await focused()
    expect(first).toMatch(/^req_/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Details' }).waitFor()
    const isInPanel = (): Promise<boolean> => page.evaluate(() => document.activeElement?.closest('[data-of]') !== null)
    await expect.poll(isInPanel, SOON).toBe(true)
    await page.keyboard.press('Tab')
    expect(await isInPanel()).toBe(true)
    await page.keyboard.press('j')
    await expect.poll(() => new URL(page.url()).searchParams.get('row')).not.toBe(first)
    const second = new URL(page.url()).searchParams.get('row')
    await settled()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Details' }).waitFor({ state: 'detached' })
    expect(await focused()).toBe(second)
    expect(faults).toEqual([])
  })

  it('everything on a page is reached, seen, and left again', async () => {
    const {
      page,
      faults,
      open: go,
    } = await open(scene.origin, { person: scene.people.owner, viewport: { width: 1280, height: 800 } })
    for (const { path } of PAGES) {
      await go(path)
      const seen = new Set<string>()
      for (let steps = 0; steps < MOST_STEPS; steps += 1) {
        await page.keyboard.press('Tab')
        const at = await page.evaluate(() => {
          const element = document.activeElement
          if (!element || element === document.body) return undefined
          const { width, height, top, bottom } = element.getBoundingClientRect()
          const { outlineStyle, outlineWidth } = getComputedStyle(element)
          const all = [...document.querySelectorAll('*')]
          return {
            place: String(all.indexOf(element)),
            html: element.outerHTML.slice(0, 120),
            isVisible: width > 0 && height > 0 && bottom > 0 && top < innerHeight,
            hasRing: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
          }
        })
        if (at === undefined || seen.has(at.place)) break
        seen.add(at.place)
        expect.soft(at, `${path}, step ${steps + 1}`).toMatchObject({ isVisible: true, hasRing: true })
      }
      expect.soft(seen.size, path).toBeGreaterThan(10)
      expect.soft(seen.size, path).toBeLessThan(MOST_STEPS)
    }
    expect(faults).toEqual([])
  })

  it('the first step skips to the page', async () => {
    const { page, open: go } = await open(scene.origin, { person: scene.people.owner })
    await go('/keys')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).hash).toBe('#main')
  })
})
