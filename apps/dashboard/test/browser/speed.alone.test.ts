import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../stage/pages.ts'
import { ROLES } from '../../stage/people.ts'
import { type Scene, startScene } from '../../stage/scene.ts'
import { isOwn, median, slack, taken } from './clock.ts'
import { CHROMIUM, useBrowser } from './shown.ts'

/** Until all of a page is there and can be used, on loopback, in milliseconds. */
const INTERACTIVE = 1_000
/** From a click to the heading of the next page, whose files are there. */
const WARM = 150
/** How much of what is seen may move by itself, as browsers count it. */
const SHIFT = 0.02
const TIMES = 3
/** Until something is seen of a page over a slow line, in milliseconds, and the scripts that come before it, in bytes. */
const FIRST_PAINT = 1_500
const SCRIPT = 150_000
/** 1.6 Mbit/s, as phones have it in many places. */
const SLOW = { offline: false, downloadThroughput: 200_000, uploadThroughput: 93_750, latency: 150 }

/** What has moved by itself since the page was opened. */
function shiftOf(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            if (Reflect.get(entry, 'hadRecentInput') !== true) sum += Number(Reflect.get(entry, 'value'))
        })
        observer.observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
      }),
  )
}

/** When something was seen first, and the compressed size of the scripts that had come until then. */
function firstPaintOf(page: Page): Promise<{ readonly at: number; readonly script: number }> {
  return page.evaluate(() => {
    const at = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.POSITIVE_INFINITY
    const scripts = performance
      .getEntriesByType('resource')
      .filter((entry) => entry instanceof PerformanceResourceTiming && /\.js$/.test(entry.name))
      .filter((entry) => 'responseEnd' in entry && Number(entry.responseEnd) <= at)
    return { at, script: scripts.reduce((sum, entry) => sum + Number(Reflect.get(entry, 'encodedBodySize')), 0) }
  })
}

describe.runIf(CHROMIUM)('Every page', { tags: ['full'], timeout: 600_000 }, () => {
  const open = useBrowser()
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene()
  })
  afterAll(() => scene?.stop())

  it(`is there within ${INTERACTIVE} ms`, async () => {
    const { page, context, open: go } = await open(scene.origin, { person: scene.people.owner })
    const devtools = await context.newCDPSession(page)
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    const busy = async (): Promise<number> => {
      const { metrics } = await devtools.send('Performance.getMetrics')
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000
    }
    await go('/spend')
    for (const { path } of PAGES) {
      const [times, work]: [number[], number[]] = [[], []]
      for (let visit = 0; visit < TIMES; visit += 1) {
        const [before, stolen] = [await busy(), taken()]
        await go(path)
        const time = await page.evaluate(() => performance.now())
        work.push((await busy()) - before)
        if (isOwn(time, taken() - stolen)) times.push(time)
      }
      if (times.length === 0)
        process.stderr.write(`${path}: the host had the processor elsewhere, NOTHING is shown of it on a clock.\n`)
      expect
        .soft(median(times), `${path} on a clock: ${times.map(Math.round).join(', ')} ms`)
        .toBeLessThan(INTERACTIVE * slack())
      expect
        .soft(median(work), `${path} on the processor: ${work.map(Math.round).join(', ')} ms`)
        .toBeLessThan(INTERACTIVE)
    }
  })

  it(`is there within ${WARM} ms when somebody comes from another one`, async () => {
    const {
      page,
      open: go,
      settled,
    } = await open(scene.origin, { person: scene.people.owner, viewport: { width: 1280, height: 800 } })
    await go('/spend')
    const rail = page.getByRole('navigation', { name: 'Pages' }).first()
    const turn = async (name: string): Promise<number> => {
      const took = await rail.getByRole('link', { name, exact: true }).evaluate(
        (element: HTMLElement) =>
          new Promise<number>((resolve) => {
            const began = performance.now()
            const before = document.querySelector('h1')
            const look = (): void => {
              const heading = document.querySelector('h1')
              if (heading && heading !== before) resolve(performance.now() - began)
              else requestAnimationFrame(look)
            }
            element.click()
            look()
          }),
      )
      await settled()
      return took
    }
    const times = new Map<string, number[]>()
    for (let time = 0; time <= TIMES; time += 1)
      for (const name of ['Requests', 'Keys', 'Budgets', 'Playground', 'Spend']) {
        const stolen = taken()
        const took = await turn(name)
        times.set(name, [...(times.get(name) ?? []), ...(isOwn(took, taken() - stolen) ? [took] : [])])
      }
    for (const [name, [, ...warm]] of times)
      expect.soft(median(warm), `${name}: ${warm.map(Math.round).join(', ')} ms`).toBeLessThan(WARM * slack())
  })

  it.each(ROLES)(`is seen by the %s within ${FIRST_PAINT} ms at 1.6 Mbit/s`, async (role) => {
    const { page, context } = await open(scene.origin, { person: scene.people[role] })
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
    await devtools.send('Network.emulateNetworkConditions', SLOW)
    const most = FIRST_PAINT * slack()
    for (const { path } of PAGES) {
      const seen: number[] = []
      let script = 0
      while (seen.length < TIMES && !(Math.min(...seen) <= most && seen.length > 0)) {
        await page.goto(path, { waitUntil: 'commit' })
        await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
        const paint = await firstPaintOf(page)
        seen.push(paint.at)
        script = Math.max(script, paint.script)
      }
      expect.soft(Math.min(...seen), `${path}: ${seen.map(Math.round).join(', ')} ms`).toBeLessThanOrEqual(most)
      expect.soft(script, `${path}: bytes of script before that`).toBeLessThanOrEqual(SCRIPT)
    }
  })

  it.each([360, 1280])('moves nothing by itself at %d pixels', async (width) => {
    const { page, open: go } = await open(scene.origin, {
      person: scene.people.owner,
      viewport: { width, height: 800 },
    })
    const { items } = await scene.people.owner.ask<{ items: { requestId: string }[] }>('/usage')
    for (const path of [
      ...PAGES.map((one) => one.path),
      `/requests?row=${items[0]?.requestId}`,
      `/keys?row=${scene.key.id}`,
    ]) {
      await go(path)
      expect.soft(await shiftOf(page), path).toBeLessThanOrEqual(SHIFT)
    }
  })
})
