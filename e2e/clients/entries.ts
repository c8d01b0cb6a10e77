import { AGENTS } from '../agents/index.ts'
import { runSearch } from '../agents/search.ts'
import { runTask } from '../agents/task.ts'
import { commandOf, folderOf, type Installation, type Packages } from '../installation.ts'
import { PROVIDERS, RESPONSES_PROVIDER, SERVER_PROVIDER } from '../provider.ts'
import type { Client, Outcomes, Spoken, Trial } from './client.ts'
import { type Gateway, openGateway } from './gateway.ts'
import { JAVA_CLIENTS } from './java.ts'
import { JAVASCRIPT_CLIENTS } from './javascript.ts'
import { PYTHON_CLIENTS } from './python.ts'
import { type Kind, PASSED, shortened, UNSIGNED, type Verdicts } from './results.ts'
import { RUNTIMES } from './runtimes.ts'
import { runJavaProgram, runNodeScript, runPythonScript } from './script.ts'
import { VENDORS } from './vendors.ts'

/** Tested client, with its way of running. */
export interface Entry {
  readonly kind: Kind
  readonly name: string
  /** Format of its requests. */
  readonly format: Spoken
  readonly packages: Packages
  /** Absent if the workspace contains it. */
  readonly installation?: Installation
  try(gateway: Gateway): Promise<Verdicts>
}

export const ENTRIES: readonly Entry[] = [
  ...PYTHON_CLIENTS.map((client) => {
    const installation: Installation = { registry: 'PyPI', packages: client.packages }
    return library(
      'python',
      client,
      (trial) => runPythonScript(commandOf(installation, 'python'), client.script, trial),
      installation,
    )
  }),
  ...VENDORS.map((client) => library('javascript', client, client.ask)),
  ...JAVASCRIPT_CLIENTS.map((client) => {
    const installation: Installation = { registry: 'npm', packages: client.packages }
    return library(
      'javascript',
      client,
      (trial) => runNodeScript(folderOf(installation), client.script, trial),
      installation,
    )
  }),
  ...JAVA_CLIENTS.map((client) => {
    const installation: Installation = { registry: 'Maven', packages: client.packages }
    return library(
      'java',
      client,
      (trial) => runJavaProgram(folderOf(installation), client.script, trial),
      installation,
    )
  }),
  ...RUNTIMES.map(({ client, start, ...entry }): Entry => {
    return {
      ...entry,
      kind: 'runtimes',
      async try() {
        const gateway = await openGateway(start)
        return gateway.try(client, client.ask).finally(() => gateway.close())
      },
    }
  }),
  ...AGENTS.map(
    (agent): Entry => ({
      kind: 'agents',
      name: agent.name,
      format: agent.format,
      packages: agent.installation.packages,
      installation: agent.installation,
      async try() {
        const verdicts: Record<string, Record<string, string>> = {}
        for (const provider of [...PROVIDERS, RESPONSES_PROVIDER]) {
          const passed = agent.dropsSignatures?.includes(provider.format) ? UNSIGNED : PASSED
          verdicts[provider.format] = { task: await verdictOf(runTask(agent, provider), passed) }
        }
        if (!agent.searches) return verdicts
        const { format } = SERVER_PROVIDER
        return { ...verdicts, [format]: { ...verdicts[format], search: await verdictOf(runSearch(agent), PASSED) } }
      },
    }),
  ),
]

async function verdictOf(run: Promise<readonly string[]>, passed: string): Promise<string> {
  const problems = await run.catch((error: unknown) => [String(error)])
  return problems.length === 0 ? passed : shortened(problems.join('; '))
}

function library(
  kind: Kind,
  client: Client,
  ask: (trial: Trial) => Promise<Outcomes>,
  installation?: Installation,
): Entry {
  const { name, format, packages } = client
  return {
    kind,
    name,
    format,
    packages,
    ...(installation && { installation }),
    try: (gateway) => gateway.try(client, ask),
  }
}
