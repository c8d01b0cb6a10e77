import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Person } from './people.ts'

/** How long anything may take on a machine that does much else, in milliseconds. */
export const PATIENCE = 90_000

/** A page, and what it did that none may. */
export interface Watched {
  readonly page: Page
  readonly context: BrowserContext
  /** Breaches of the policy of content, errors of the console and of scripts, requests to other hosts. */
  readonly faults: readonly string[]
  /** Calls of the API since the last `open`, without the stream of events. */
  readonly calls: readonly string[]
  /** Opens an address of the program, and waits until all of it is there. */
  open(path: string): Promise<void>
  /** Waits until nothing is being read and no outline stands for what comes. */
  settled(): Promise<void>
}

export interface WatchedOptions extends BrowserContextOptions {
  /** Who is signed in; absent = nobody. */
  readonly person?: Person
  /** Faults that belong to what is tried. */
  readonly allowed?: readonly RegExp[]
}

/** Opens a window of its own, with nothing in it yet. */
export async function watch(browser: Browser, origin: string, options: WatchedOptions = {}): Promise<Watched> {
  const { person, allowed = [], ...rest } = options
  const context = await browser.newContext({
    baseURL: origin,
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...rest,
  })
  context.setDefaultTimeout(PATIENCE)
  if (person)
    await context.addCookies([
      { name: 'headgate', value: person.session, url: origin, httpOnly: true, sameSite: 'Lax' },
    ])
  const page = await context.newPage()
  const faults: string[] = []
  const calls: string[] = []
  const running = new Set<unknown>()
  const fault = (text: string): void => {
    if (!allowed.some((one) => one.test(text))) faults.push(`${new URL(page.url()).pathname}: ${text}`)
  }
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      // biome-ignore lint/suspicious/noConsole: what a test reads.
      console.error(`Content policy: ${violatedDirective} ${blockedURI}`),
    )
  })
  page.on('console', (message) => {
    if (message.type() === 'error') fault(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => fault(String(error)))
  page.on('dialog', (dialog) => {
    fault(`A script has asked: ${dialog.message()}`)
    dialog.dismiss().catch(() => {})
  })
  page.on('request', (request) => {
    const { origin: host, protocol, pathname, search } = new URL(request.url())
    if (host !== origin && protocol !== 'data:' && protocol !== 'blob:') fault(`asks another host: ${request.url()}`)
    // A stream of events never ends, and a player reads what it likes.
    if (pathname.endsWith('/events') || request.resourceType() === 'media') return
    running.add(request)
    if (pathname.startsWith('/api/')) calls.push(`${request.method()} ${pathname.slice('/api/v1'.length)}${search}`)
  })
  page.on('requestfinished', (request) => running.delete(request))
  page.on('requestfailed', (request) => running.delete(request))

  const settled = async (): Promise<void> => {
    const late = Date.now() + PATIENCE
    for (;;) {
      await page.locator('h1').first().waitFor()
      // React shows what came late after a while in which nothing says that more will come.
      if (/[?&](?:row|make)=/.test(page.url()))
        await page.getByRole('button', { name: 'Close', exact: true }).first().waitFor()
      // What ends a read draws, and what is drawn may read: two frames later both would be there.
      const isDrawn = await page.evaluate(async () => {
        for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame)
        const ending = document
          .getAnimations()
          .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
        await Promise.all(ending.map(({ finished }) => finished.catch(() => {})))
        return document.querySelector('[aria-label="Loading"],.skeleton') === null
      })
      if (isDrawn && running.size === 0) return
      if (Date.now() > late) throw new Error(`${page.url()} is still reading ${running.size} things.`)
    }
  }
  const open = async (path: string): Promise<void> => {
    calls.length = 0
    await page.goto(path, { waitUntil: 'load' })
    await settled()
  }
  return { page, context, faults, calls, open, settled }
}
