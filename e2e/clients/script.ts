import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Outcomes, Trial } from './client.ts'

const execute = promisify(execFile)

/** How long a script may take, in milliseconds. */
const MOST_MS = 90_000

const E2E = join(import.meta.dirname, '..')
const HELPER = 'trial.mjs'

/** Runs a script of Python with an interpreter that has its packages. */
export async function runPythonScript(python: string, script: string, trial: Trial): Promise<Outcomes> {
  return run(python, [join(E2E, 'python', script)], trial, {
    PYTHONDONTWRITEBYTECODE: '1',
    LANGSMITH_TRACING: 'false',
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  })
}

/** Runs a script of Node in the folder where its packages are installed: a module finds them from where it lies. */
export async function runNodeScript(folder: string, script: string, trial: Trial): Promise<Outcomes> {
  for (const name of [HELPER, script]) copyFileSync(join(E2E, 'javascript', name), join(folder, name))
  return run(process.execPath, [join(folder, script)], trial, {
    LANGSMITH_TRACING: 'false',
    AI_SDK_LOG_WARNINGS: 'false',
    MASTRA_TELEMETRY_DISABLED: '1',
  })
}

/** Runs a source file of Java with the libraries of a folder. */
export async function runJavaProgram(folder: string, script: string, trial: Trial): Promise<Outcomes> {
  return run('java', ['-cp', join(folder, 'lib', '*'), join(E2E, 'java', script)], trial, {})
}

/** A script gets no variable and no file of whoever starts it. */
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
