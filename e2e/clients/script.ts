import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Outcomes, Trial } from './client.ts'

const execute = promisify(execFile)

/** Timeout of a script in milliseconds. */
const MOST_MS = 90_000

const E2E = join(import.meta.dirname, '..')
const HELPER = 'trial.mjs'

/** Runs a Python script with an interpreter that has its packages. */
export async function runPythonScript(python: string, script: string, trial: Trial): Promise<Outcomes> {
  return run(python, [join(E2E, 'python', script)], trial, {
    PYTHONDONTWRITEBYTECODE: '1',
    LANGSMITH_TRACING: 'false',
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  })
}

/** Runs a Node script in the folder with its packages, because modules resolve from their location. */
export async function runNodeScript(folder: string, script: string, trial: Trial): Promise<Outcomes> {
  for (const name of [HELPER, script]) copyFileSync(join(E2E, 'javascript', name), join(folder, name))
  return run(process.execPath, [join(folder, script)], trial, {
    LANGSMITH_TRACING: 'false',
    AI_SDK_LOG_WARNINGS: 'false',
    MASTRA_TELEMETRY_DISABLED: '1',
  })
}

/** Runs a Java source file with the libraries of a folder. */
export async function runJavaProgram(folder: string, script: string, trial: Trial): Promise<Outcomes> {
  return run('java', ['-cp', join(folder, 'lib', '*'), join(E2E, 'java', script)], trial, {})
}

/** Runs a command without inherited environment variables and files. */
async function run(
  command: string,
  args: readonly string[],
  trial: Trial,
  environment: Readonly<Record<string, string>>,
): Promise<Outcomes> {
  const home = mkdtempSync(join(tmpdir(), 'headgate-client-'))
  const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
  const env = { PATH, HOME: home, TRIAL: JSON.stringify(trial), ...environment }
  try {
    const { stdout } = await execute(command, args, {
      env,
      cwd: home,
      timeout: MOST_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 16 * 2 ** 20,
    })
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 })
  }
}
