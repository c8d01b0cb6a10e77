import { claudeCode } from './claude-code.ts'
import { geminiCli } from './gemini-cli.ts'
import { install } from './installation.ts'
import { isIsolated, runIsolated } from './isolation.ts'
import { PROVIDERS } from './provider.ts'
import { runPython } from './python.ts'
import { runTask } from './task.ts'

/**
 * `pnpm e2e`: coding agents finish a task of two tools through the built program, each with models of the formats that
 * it does not speak, and Python's clients embed. Installs the agents first. Nothing they do leaves this machine.
 * `pnpm e2e python`: Python's clients alone.
 */
const AGENTS = [claudeCode, geminiCli]

/** An agent, and a provider of another format than it speaks. */
const RUNS = AGENTS.flatMap((agent) => PROVIDERS.filter(({ format }) => format !== agent.format).map((provider) => ({ agent, provider })))

/** Resolves with how many failed. */
async function runAll(): Promise<number> {
  let failed = 0
  for (const { agent, provider } of RUNS) {
    const start = performance.now()
    const problems = await runTask(agent, provider).catch((error: unknown) => [String(error)])
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    const verdict = problems.length === 0 ? 'passed' : 'FAILED'
    console.log(`${verdict}  ${agent.name} ${agent.package.version} with a model behind ${provider.format}, ${seconds} s`)
    for (const problem of problems) console.log(`        ${problem}`)
    if (problems.length > 0) failed++
  }
  console.log(`${RUNS.length - failed} passed, ${failed} failed`)
  return failed
}

async function main(): Promise<number> {
  if (process.argv[2] === 'python') return runPython()
  if (isIsolated()) return (await runAll()) + (await runPython())
  for (const agent of AGENTS) install(agent)
  const code = runIsolated()
  if (code !== undefined) return code
  console.log('No network namespace can be made here (`unshare -n`): that the agents talk to no one else rests on their settings.')
  return (await runAll()) + (await runPython())
}

process.exitCode = (await main()) > 0 ? 1 : 0
