import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Agent } from './agent.ts'

const { HEADGATE_E2E_DIR } = process.env

/** Where agents are kept: some hundred megabytes each, so outside of the workspace, and from run to run. */
const FOLDER = resolve(HEADGATE_E2E_DIR || join(import.meta.dirname, '../node_modules/.cache/headgate-e2e'))

const MOST_MS = 300_000

/** Path of an agent's command. */
export function commandOf(agent: Agent): string {
  return join(folderOf(agent), 'node_modules/.bin', agent.command)
}

/** Installs an agent where it is not yet there. */
export function install(agent: Agent): void {
  if (existsSync(commandOf(agent))) return
  const { name, version } = agent.package
  process.stdout.write(`Installing ${name}@${version} into ${folderOf(agent)}\n`)
  mkdirSync(folderOf(agent), { recursive: true })
  const args = ['install', '--prefix', folderOf(agent), '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`]
  const { status, error } = spawnSync('npm', args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: MOST_MS })
  if (status !== 0) throw new Error(`npm could not install ${name}@${version}: ${error?.message ?? `it ended with ${status}`}.`)
}

function folderOf({ command, package: { version } }: Agent): string {
  return join(FOLDER, `${command}-${version}`)
}
