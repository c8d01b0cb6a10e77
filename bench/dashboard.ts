import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillStore } from './filled-store.ts'
import { freePort, type Measured, startNode } from './process.ts'
import { root } from './started.ts'
import { trafficSlots } from './traffic.ts'

const PROGRAM = join(root, 'apps/server/dist/cli.js')
const ROWS = 10_000_000
const SLOTS = 2 ** 18
const [DAYS, MODELS, KEYS, PROJECTS, BUDGETS, PROVIDERS] = [40, 300, 500, 50, 50, 8]
const ROUNDS = 5
/** Maximum milliseconds until a page can be used. */
const GOAL = 1_000
const OWNER = { email: 'ada@example.com', name: 'Ada', password: 'correct horse battery' }
const CHROMIUM = '/usr/bin/chromium'

/** Pages, with ranges, splits and filters, including rare ones and ones without an index. */
const PAGES: Readonly<Record<string, string>> = {
  'Spend, 7 days': '/spend',
  'Spend, 24 hours': '/spend?range=24h',
  'Spend, 30 days by model': '/spend?range=30d',
  'Spend, 30 days by key': '/spend?range=30d&by=key',
  'Spend, 30 days by project': '/spend?range=30d&by=project',
  'Spend, 30 days by member': '/spend?range=30d&by=member',
  'Spend, 30 days of a project': '/spend?range=30d&project=prj_3',
  'Spend, 12 months by provider': '/spend?range=365d&by=provider',
  'Spend, this month by project and model': '/spend?range=this-month&by=project&then=model',
  'Explain, 7 days': '/explain',
  'Requests, 7 days': '/requests',
  'Requests, 30 days': '/requests?range=30d',
  'Requests, 30 days of a model': '/requests?range=30d&model=vendor-3%2Fmodel-3',
  'Requests, 30 days of a key': '/requests?range=30d&key=key_0000000000000000000000000400',
  'Requests, 30 days of a project': '/requests?range=30d&project=prj_3',
  'Requests, 30 days that ended with 529': '/requests?range=30d&status=529',
  'Requests, 30 days of a failure that never occurred': '/requests?range=30d&failure=timeout',
  'Requests, 30 days of a tag': '/requests?range=30d&tag=job%3Djob-7',
  Keys: '/keys',
  'Budgets and limits': '/budgets',
  'Models and prices': '/models',
  Providers: '/providers',
  Playground: '/playground',
  Organization: '/organization',
}

/**
 * Opens each page of the dashboard with a store of many rows in a browser: `pnpm bench dashboard [10000000] [name
 * ...]`. Names select pages by a part of their titles. The store is created once in the temporary folder and kept.
 * Exits with 1 if a page exceeds its maximum.
 */
export async function benchDashboard(args: readonly string[]): Promise<void> {
  const rows = Number(args.find((word) => /^\d+$/.test(word)) ?? ROWS)
  const names = args.filter((word) => !/^\d+$/.test(word)).map((word) => word.toLowerCase())
  const folder = join(tmpdir(), `headgate-bench-dashboard-${rows}`)
  await fillOnce(folder, rows)
  const browser = await browserHere()
  if (!browser) {
    console.log(`No browser: playwright-core is not installed, or ${CHROMIUM} does not exist.`)
    return
  }
  const program = await startProgram(folder)
  try {
    const page = await signedIn(browser, program, folder)
    const chosen = Object.entries(PAGES).filter(
      ([title]) => names.length === 0 || names.some((name) => title.toLowerCase().includes(name)),
    )
    console.log(
      '| page | usable after, ms | maximum | calls | slowest call, ms | within budget |\n| --- | ---: | ---: | ---: | --- | --- |',
    )
    for (const [title, path] of chosen) await measure(page, `http://localhost:${program.port}${path}`, title)
  } finally {
    await browser.close()
    await program.stop()
  }
}

async function fillOnce(folder: string, rows: number): Promise<void> {
  const file = join(folder, 'headgate.db')
  if (existsSync(file)) return
  mkdirSync(folder, { recursive: true })
  const start = performance.now()
  const unfinished = `${file}-unfinished`
  for (const end of ['', '-wal', '-shm']) rmSync(unfinished + end, { force: true })
  const slots = trafficSlots(SLOTS, { keys: KEYS, models: MODELS })
  await fillStore({ file: unfinished }, rows, slots, { days: DAYS, projects: PROJECTS })
  renameSync(unfinished, file)
  console.log(`${rows} rows filled in ${((performance.now() - start) / 1_000).toFixed(0)} s, in ${folder}`)
}

async function startProgram(folder: string): Promise<Measured> {
  const providers = Array.from({ length: PROVIDERS }, (_, provider) => {
    const models = Array.from({ length: MODELS }, (__, model) => model).filter(
      (model) => model % PROVIDERS === provider,
    )
    const names = models.map((model) => `vendor-${provider}/model-${model}`)
    return [
      `provider-${provider}`,
      { adapter: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'sk-none', models: names },
    ]
  })
  const file = join(folder, 'headgate.config.json')
  writeFileSync(file, JSON.stringify({ providers: Object.fromEntries(providers) }))
  const port = await freePort()
  const env = { HEADGATE_CONFIG: file, HEADGATE_DATA_DIR: folder, PORT: String(port) }
  return startNode([PROGRAM, '--no-print-key'], { env, cwd: folder, port, probe: '/readyz' })
}

/** Used parts of playwright-core, which is not installed everywhere. */
interface Page {
  goto(url: string): Promise<unknown>
  addInitScript(what: () => void): Promise<unknown>
  evaluate<Result>(what: (given: never) => Result, given?: unknown): Promise<Awaited<Result>>
  waitForFunction(what: () => unknown, given: undefined, options: { timeout: number }): Promise<unknown>
}

interface Browser {
  newPage(): Promise<Page>
  close(): Promise<void>
}

async function browserHere(): Promise<Browser | undefined> {
  try {
    const { chromium } = createRequire(join(root, 'apps/dashboard/package.json'))('playwright-core')
    return await chromium.launch({ executablePath: CHROMIUM, args: ['--disable-dev-shm-usage'] })
  } catch {
    return undefined
  }
}

/** Page of the owner. A new store gets an account and budgets first. */
async function signedIn(browser: Browser, { port }: Measured, folder: string): Promise<Page> {
  const page = await browser.newPage()
  await page.addInitScript(countCalls)
  await page.goto(`http://localhost:${port}/sign-in`)
  const ask = (path: string, body: object) =>
    page.evaluate(
      async ({ path, body }: { path: string; body: object }) => {
        const headers = { 'content-type': 'application/json' }
        return (await fetch(`/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status
      },
      { path, body },
    )
  if ((await ask('/sign-in', { email: OWNER.email, password: OWNER.password })) < 300) return page
  const link = execFileSync(process.execPath, [PROGRAM, 'users', 'first-link', '--data-dir', folder], {
    encoding: 'utf8',
  })
  const status = await ask('/first', { ...OWNER, token: /token=(\S+)/.exec(link)?.[1] })
  if (status >= 300) throw new Error(`The first account was not created: ${status}`)
  for (let number = 0; number < BUDGETS; number += 1)
    await ask('/budgets', {
      scope: 'project',
      owner: `prj_${number}`,
      limit: '900000000000000',
      period: 'month',
      zone: 'UTC',
    })
  return page
}

/** Counts the started and the pending calls of a page. */
function countCalls(): void {
  const own = Object(globalThis)
  const fetchOfPage: typeof fetch = own.fetch
  Object.assign(own, { begun: 0, running: 0 })
  own.fetch = (...asked: Parameters<typeof fetch>) => {
    own.begun += 1
    own.running += 1
    return fetchOfPage(...asked).finally(() => {
      own.running -= 1
    })
  }
}

interface Seen {
  /** Milliseconds since the navigation started. */
  readonly ready: number
  readonly calls: readonly { readonly path: string; readonly duration: number }[]
}

async function measure(page: Page, url: string, title: string): Promise<void> {
  const rounds: Seen[] = []
  for (let round = 0; round <= ROUNDS; round += 1) rounds.push(await open(page, url))
  // The first round reads from disk, the others from memory.
  const times = rounds
    .slice(1)
    .map(({ ready }) => ready)
    .sort((one, other) => one - other)
  const [median, most] = [times[Math.floor(times.length / 2)] ?? 0, times.at(-1) ?? 0]
  const last = rounds.at(-1)?.calls ?? []
  const slowest = last.toSorted((one, other) => other.duration - one.duration)[0]
  const isMet = median <= GOAL
  if (!isMet) process.exitCode = 1
  const call = slowest ? `\`${slowest.path.slice(0, 100)}\` ${slowest.duration.toFixed(0)}` : ''
  console.log(
    `| ${title} | ${median.toFixed(0)} | ${most.toFixed(0)} | ${last.length} | ${call} | ${isMet ? 'yes' : 'no'} |`,
  )
}

/** Waits until a page has its heading, nothing is loading, and all of its calls are complete. */
async function open(page: Page, url: string): Promise<Seen> {
  await page.goto('about:blank')
  await page.goto(url)
  await page.waitForFunction(
    () => {
      const own = Object(globalThis)
      const loading =
        own.document.querySelector('h1') === null || own.document.querySelector('[aria-label="Loading"]') !== null
      const now = own.performance.now()
      if (loading || own.running > 0 || own.seen !== own.begun) own.since = now
      own.seen = own.begun
      // Rendering a response can start more calls.
      return now - own.since > 300
    },
    undefined,
    { timeout: 60_000 },
  )
  return page.evaluate(() => {
    const own = Object(globalThis)
    const entries: { name: string; duration: number; responseEnd: number }[] =
      own.performance.getEntriesByType('resource')
    const calls = entries.filter(({ name }) => name.includes('/api/v1/') && !name.includes('/events'))
    return {
      ready: own.since,
      calls: calls.map(({ name, duration }) => ({ path: name.slice(name.indexOf('/api/v1') + 7), duration })),
    }
  })
}
