import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, type Measured, startNode } from './process.ts'

const PORTKEY = '@portkey-ai/gateway@1.15.2'

/**
 * Installs Portkey's gateway next to the checkout's modules on first use, because it is not a dependency of the
 * project.
 */
function installPortkey(root: string): string | undefined {
  const folder = join(root, 'node_modules', '.cache', 'headgate-bench')
  const entry = join(folder, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js')
  if (existsSync(entry)) return entry
  mkdirSync(folder, { recursive: true })
  try {
    execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', PORTKEY], {
      stdio: 'ignore',
      timeout: 180_000,
    })
  } catch {
    return undefined
  }
  return existsSync(entry) ? entry : undefined
}

/** Starts Portkey's gateway. Undefined if it cannot be installed on this machine. */
export async function startPortkey(root: string): Promise<Measured | undefined> {
  const entry = installPortkey(root)
  if (!entry) return undefined
  const port = await freePort()
  return startNode([entry, '--headless', `--port=${port}`], { port, env: { NODE_ENV: 'production' } })
}

/** Headers that set the target of a chat request for the peer. */
export function portkeyHeaders(upstream: string): Record<string, string> {
  return { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream}/v1` }
}
