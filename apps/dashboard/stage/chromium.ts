import { accessSync, constants } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Where systems put it. */
const COMMON = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The Chromium of this machine: that of HEADGATE_CHROMIUM, else where it usually is; undefined = none. */
export function findChromium(): string | undefined {
  const named = process.env['HEADGATE_CHROMIUM']
  return (named ? [named] : COMMON).find(isRunnable)
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Starts it so that it reaches nothing but this machine. */
export function launchChromium(executablePath: string): Promise<Browser> {
  const args = [
    '--disable-dev-shm-usage',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    '--lang=en-US',
  ]
  return chromium.launch({ executablePath, args, timeout: 60_000 })
}
