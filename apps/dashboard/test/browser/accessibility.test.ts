import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repeated } from '../../../../tools/long-runs.ts'
import { PAGES } from '../../stage/pages.ts'
import { type Scene, startScene } from '../../stage/scene.ts'
import { CHROMIUM, useBrowser } from './shown.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Rules whose result depends on colors: those that another scheme can break. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

interface Found {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** Violations that axe finds on a page, one line each. */
async function faultsOf(page: Page, rules: readonly string[] = RULES): Promise<readonly string[]> {
  // A tag of a script would be against the policy of content; what is evaluated is not.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  const found = await page.evaluate(async (rules): Promise<readonly Found[]> => {
    const axe = Reflect.get(window, 'axe')
    return (await axe.run({ runOnly: rules, resultTypes: ['violations'] })).violations
  }, rules)
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}

const SCHEMES = ['light', 'dark'] as const
/** Only colors differ between schemes, so that one of them needs only the rules about colors. */
const SCHEME_RULES = [[RULES, 'light'] as const, [repeated(COLOR_RULES, RULES), 'dark'] as const]
const WIDTHS = [360, 1280] as const

describe.runIf(CHROMIUM)('Everybody can use', { tags: ['full'], timeout: 600_000 }, () => {
  const open = useBrowser()
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene()
  })
  afterAll(() => scene?.stop())

  it.each(WIDTHS)('every page, in light and dark colors, at %d pixels', async (width) => {
    const {
      page,
      faults,
      open: go,
    } = await open(scene.origin, { person: scene.people.owner, viewport: { width, height: 800 } })
    const { items } = await scene.people.owner.ask<{ items: { requestId: string; model: string }[] }>('/usage')
    const rows = items.filter(({ model }) => model !== 'large').map(({ requestId }) => `/requests?row=${requestId}`)
    const opened = [...rows, `/keys?row=${scene.key.id}`, '/keys?make=1', '/budgets?make=1']
    for (const path of [...PAGES.map((one) => one.path), ...opened]) {
      await go(path)
      for (const [rules, colorScheme] of SCHEME_RULES) {
        await page.emulateMedia({ colorScheme })
        expect.soft(await faultsOf(page, rules), `${path}, ${colorScheme}`).toEqual([])
      }
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect.soft(wide, `${path} needs no sideways scroll`).toBeLessThanOrEqual(0)
    }
    expect(faults).toEqual([])
  })

  it.each(SCHEMES)('what opens in front of a page, in %s colors', async (colorScheme) => {
    const {
      page,
      faults,
      open: go,
    } = await open(scene.origin, { person: scene.people.owner, colorScheme, viewport: { width: 1280, height: 800 } })
    await go('/spend')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Go to…' }).getByRole('option').first().waitFor()
    expect.soft(await faultsOf(page), 'the command menu').toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    expect.soft(await faultsOf(page), 'the list of keys').toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByText('Sign out').waitFor()
    expect.soft(await faultsOf(page), 'the account').toEqual([])
    await go(`/keys?row=${scene.key.id}`)
    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('dialog').waitFor()
    expect.soft(await faultsOf(page), 'a question').toEqual([])
    await go('/no/such/page')
    expect.soft(await faultsOf(page), 'no page').toEqual([])
    expect(faults).toEqual([])
  })

  it('the pages before the sign-in', async () => {
    const { page, faults } = await open(scene.origin, { allowed: [/status of 401 .*\/me$/, /status of 404/] })
    for (const path of [
      '/sign-in',
      '/forgot',
      '/sign-up',
      '/first',
      '/invite',
      '/reset#token=wrong',
      '/first#token=wrong',
    ]) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect.soft(await faultsOf(page), path).toEqual([])
    }
    expect(faults).toEqual([])
  })
})
