import type { Gallery } from './gallery.ts'
import type { Watched } from './watched.ts'

type View = `${'light' | 'dark'} ${1280 | 360}`

/** A picture of something that is open on a page, or was done there. */
export interface Shot {
  readonly name: string
  /** Whether nobody is signed in. */
  readonly isSignedOut?: true
  /** In which looks it stands in the documentation. */
  readonly chosen: readonly View[]
  act(watched: Watched): Promise<void>
}

/** What the documentation shows, and what else is worth a look. */
export function shots(gallery: Gallery): readonly Shot[] {
  return [...entranceShots(gallery), ...pageShots(gallery), ...PLAYGROUND_SHOTS, COMMAND_MENU]
}

const opens = (path: string) => (watched: Watched) => watched.open(path)

function entranceShots({ program }: Gallery): readonly Shot[] {
  return [
    {
      name: 'sign-in',
      isSignedOut: true,
      chosen: [],
      async act({ page }) {
        await page.goto('/sign-in')
        await page.getByRole('heading', { level: 1 }).waitFor()
      },
    },
    {
      name: 'sign-up',
      isSignedOut: true,
      chosen: [],
      async act({ page }) {
        await page.goto(program.firstLink)
        await page.getByRole('heading', { level: 1 }).waitFor()
      },
    },
    {
      name: 'first-request',
      chosen: ['light 1280'],
      async act({ page, open }) {
        await open('/start')
        await page.getByRole('button', { name: 'Create key' }).click()
        await page.getByText('Waiting for your first request…').waitFor()
      },
    },
  ]
}

function pageShots({ requests, budget, key }: Gallery): readonly Shot[] {
  return [
    { name: 'spend', chosen: ['light 1280', 'dark 1280'], act: opens('/spend?range=30d') },
    { name: 'spend-by-key', chosen: ['light 1280'], act: opens('/spend?range=7d&by=key') },
    { name: 'spend-on-a-phone', chosen: ['light 360'], act: opens('/spend?range=30d') },
    { name: 'request', chosen: ['light 1280'], act: opens(`/requests?row=${requests.failedOver}`) },
    { name: 'request-on-a-phone', chosen: ['dark 360'], act: opens(`/requests?row=${requests.failedOver}`) },
    {
      name: 'lost',
      chosen: ['light 1280'],
      async act({ page, open }) {
        await open(`/requests?row=${requests.translated}`)
        await page.getByRole('heading', { name: 'Lost in translation' }).scrollIntoViewIfNeeded()
      },
    },
    {
      name: 'requests-that-failed',
      chosen: ['light 1280'],
      act: opens('/requests?range=7d&outcome=refused,cut,failed'),
    },
    { name: 'requests-errors', chosen: [], act: opens('/requests?range=7d&tab=errors') },
    { name: 'keys-all', chosen: ['light 1280'], act: opens('/keys') },
    { name: 'key', chosen: ['light 1280'], act: opens(`/keys?row=${key}`) },
    { name: 'key-new', chosen: ['light 1280'], act: opens('/keys?make=1') },
    { name: 'budgets-all', chosen: ['light 1280'], act: opens('/budgets') },
    { name: 'budget', chosen: ['light 1280'], act: opens(`/budgets?row=${budget}`) },
    { name: 'models-all', chosen: ['light 1280'], act: opens('/models') },
    { name: 'model', chosen: ['light 1280'], act: opens('/models?row=gpt-5.4-mini') },
    {
      name: 'models-compared',
      chosen: [],
      async act({ page, open }) {
        await open('/models?compare=gpt-5.4-mini,llama-4,demo')
        await page.getByRole('heading', { name: 'Comparison' }).waitFor()
      },
    },
    { name: 'provider', chosen: ['light 1280'], act: opens('/providers?row=eu-vllm') },
    { name: 'installed', chosen: [], act: opens('/providers?tab=installed') },
    {
      name: 'doctor',
      chosen: ['light 1280'],
      async act({ page, open }) {
        await open('/providers?tab=doctor')
        await page.getByRole('button', { name: 'Run checks' }).click()
        await page.getByRole('button', { name: 'Run again' }).waitFor()
      },
    },
    { name: 'providers-all', chosen: ['light 1280'], act: opens('/providers') },
    { name: 'organization-all', chosen: ['light 1280'], act: opens('/organization') },
  ]
}

const PLAYGROUND_SHOTS: readonly Shot[] = [
  {
    name: 'side-by-side',
    chosen: ['light 1280', 'dark 1280'],
    async act({ page, open, settled }) {
      await open('/playground?models=gpt-5.4-mini,llama-4')
      await page.getByLabel('Message', { exact: true }).last().fill('Which planets have rings?')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('Uranus and Neptune').nth(1).waitFor()
      await settled()
    },
  },
  {
    name: 'wire',
    chosen: ['light 1280'],
    async act({ page, open, settled }) {
      await open('/playground?models=gpt-5.4-mini')
      await page.getByLabel('Message', { exact: true }).last().fill('Which planets have rings?')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('Uranus and Neptune').first().waitFor()
      await page.getByRole('tab', { name: 'Raw' }).first().click()
      await settled()
    },
  },
  {
    name: 'search',
    chosen: ['light 1280'],
    async act({ page, open }) {
      await open('/playground?kind=search')
      await page.getByLabel('Query', { exact: true }).fill('rate limits of a key')
      await page.getByRole('button', { name: 'Search', exact: true }).click()
      await page.getByText(/About [\d,]+ results/).waitFor()
    },
  },
  {
    name: 'video',
    chosen: ['light 1280'],
    async act({ page, open }) {
      await open('/playground?kind=video&models=demo')
      if ((await page.locator('video').count()) === 0) {
        await page.getByLabel('Prompt').fill('A lighthouse in the evening')
        await page.getByLabel('Seconds').fill('2')
        await page.getByRole('button', { name: 'Generate video' }).click()
      }
      await page.locator('video').first().waitFor()
      await page.waitForFunction(() =>
        [...document.querySelectorAll('video')].every(({ readyState }) => readyState >= 2),
      )
    },
  },
]

const COMMAND_MENU: Shot = {
  name: 'command-menu',
  chosen: ['dark 1280'],
  async act({ page, open }) {
    await open('/spend')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('option').first().waitFor()
  },
}
