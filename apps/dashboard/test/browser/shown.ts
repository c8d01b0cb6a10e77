import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { findChromium, launchChromium } from '../../stage/chromium.ts'
import { type Watched, type WatchedOptions, watch } from '../../stage/watched.ts'

/** The browser that pages are shown in; undefined = there is none here. */
export const CHROMIUM = findChromium()

if (CHROMIUM === undefined)
  process.stderr.write(
    'There is no Chromium here (HEADGATE_CHROMIUM names one): NOTHING is shown of pages in a browser.\n',
  )

/** Starts a browser for the tests of a file. @returns what opens a window in it for a test. */
export function useBrowser(): (origin: string, options?: WatchedOptions) => Promise<Watched> {
  let browser: Browser | undefined
  beforeAll(async () => {
    if (CHROMIUM !== undefined) browser = await launchChromium(CHROMIUM)
  })
  afterAll(() => browser?.close())
  return async (origin, options) => {
    if (!browser) throw new Error('There is no browser.')
    const watched = await watch(browser, origin, options)
    onTestFinished(() => watched.context.close())
    return watched
  }
}
