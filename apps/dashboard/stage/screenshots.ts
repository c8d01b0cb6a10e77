import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Browser } from 'playwright-core'
import { findChromium, launchChromium } from './chromium.ts'
import { type Gallery, startGallery } from './gallery.ts'
import { PAGES } from './pages.ts'
import { withPalette } from './palette.ts'
import { shots } from './shots.ts'
import { watch } from './watched.ts'

/**
 * `pnpm screenshots [name…]`: what every page looks like, in both schemes and two widths, in `screenshots/`; those that
 * the documentation shows in docs/images/dashboard/. With names only those whose names begin so.
 */
const ROOT = resolve(import.meta.dirname, '../../..')
const ALL = join(ROOT, 'screenshots')
const CHOSEN = join(ROOT, 'docs/images/dashboard')
/** What a picture of the documentation weighs at most, in bytes. */
const MOST = 150_000
const VIEWS = [
  { scheme: 'light', width: 1280, height: 800 },
  { scheme: 'dark', width: 1280, height: 800 },
  { scheme: 'light', width: 360, height: 740 },
  { scheme: 'dark', width: 360, height: 740 },
] as const

async function take(browser: Browser, gallery: Gallery, names: readonly string[]): Promise<void> {
  const { origin } = gallery.program
  const isAsked = (name: string): boolean => names.length === 0 || names.some((one) => name.startsWith(one))
  for (const { scheme, width, height } of VIEWS) {
    const options = {
      colorScheme: scheme,
      viewport: { width, height },
      isMobile: width < 500,
      hasTouch: width < 500,
      deviceScaleFactor: 1,
    }
    const watched = await watch(browser, origin, { person: gallery.owner, ...options })
    const save = async (name: string): Promise<Buffer> => {
      const png = await watched.page.screenshot({ animations: 'disabled', caret: 'hide' })
      writeFileSync(join(ALL, `${name}-${scheme}-${width}.png`), png)
      process.stdout.write(`${name}-${scheme}-${width}\n`)
      return png
    }
    for (const { path } of PAGES) {
      const name = path.slice(1).replaceAll(/\W+/g, '-')
      if (!isAsked(name)) continue
      await watched.open(path)
      await save(name)
    }
    for (const { name, isSignedOut, chosen, act } of shots(gallery)) {
      if (!isAsked(name)) continue
      const at = isSignedOut ? await watch(browser, origin, { ...options, allowed: [/./] }) : watched
      await attempt(name, () => act(at))
      const png = isSignedOut ? await at.page.screenshot({ animations: 'disabled', caret: 'hide' }) : await save(name)
      if (isSignedOut) writeFileSync(join(ALL, `${name}-${scheme}-${width}.png`), png)
      if (chosen.includes(`${scheme} ${width}`))
        writeFileSync(join(CHOSEN, `${name}${chosen.length > 1 ? `-${scheme}` : ''}.png`), small(withPalette(png)))
      if (isSignedOut) await at.context.close()
    }
    for (const fault of watched.faults) process.stderr.write(`${fault}\n`)
    await watched.context.close()
  }
}

function small(picture: Buffer): Buffer {
  if (picture.length > MOST)
    throw new Error(`A picture of the documentation has ${picture.length} bytes, and ${MOST} at most.`)
  return picture
}

/** What can not be shown at one width is no reason to show nothing. */
async function attempt(name: string, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    process.stderr.write(`${name}: ${error}\n`)
    process.exitCode = 1
  }
}

const chromium = findChromium()
if (chromium === undefined) {
  process.stderr.write('There is no Chromium here: HEADGATE_CHROMIUM names one.\n')
  process.exitCode = 1
} else {
  const names = process.argv.slice(2)
  if (names.length === 0) rmSync(ALL, { recursive: true, force: true })
  for (const folder of [ALL, CHOSEN]) mkdirSync(folder, { recursive: true })
  const gallery = await startGallery()
  const browser = await launchChromium(chromium)
  try {
    await take(browser, gallery, names)
  } finally {
    await browser.close()
    await gallery.stop()
  }
}
