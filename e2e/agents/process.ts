import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { commandOf } from '../installation.ts'
import type { Agent, Task } from './agent.ts'

const MOST_MS = 120_000

export interface Ended {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

/** Runs an agent until it exits, for up to two minutes. It does not inherit environment variables or files. */
export async function runAgent(
  agent: Agent,
  task: Task,
  { project, home }: { project: string; home: string },
): Promise<Ended> {
  const { args, environment, home: files } = agent.launch(task)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), JSON.stringify(content))
  }
  const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
  // A separate process group, so that its child processes end with it.
  const child = spawn(commandOf(agent.installation, agent.command), args, {
    cwd: project,
    env: { PATH, HOME: home, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const ended = once(child, 'close')
  const late = setTimeout(() => endGroup(child.pid), MOST_MS)
  const [stdout, stderr, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  clearTimeout(late)
  return { code: code ?? String(signal), stdout, stderr }
}

function endGroup(pid: number | undefined): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
}
