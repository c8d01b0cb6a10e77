import { join } from 'node:path'
import { PACKAGES, type Runtime, startRuntime } from '../../packages/gateway/test/runtimes/runtimes.ts'
import { commandOf, type Installation, type Packages } from '../installation.ts'
import { API_KEY } from '../server.ts'
import type { WorkspaceClient } from './client.ts'
import type { Start } from './gateway.ts'
import { VENDORS } from './vendors.ts'

/** Gateway embedded in a runtime other than Node, and the client that calls it. */
interface EmbeddedGateway {
  readonly name: string
  readonly format: WorkspaceClient['format']
  readonly packages: Packages
  readonly installation: Installation
  readonly client: WorkspaceClient
  readonly start: Start
}

const TITLES: Readonly<Record<Runtime, string>> = { bun: 'Bun', workerd: 'workerd' }
const CLIENTS: readonly string[] = ['openai 7', '@anthropic-ai/sdk 1']
const PROGRAM = join(import.meta.dirname, '../runtimes/worker.ts')

export const RUNTIMES: readonly EmbeddedGateway[] = (['bun', 'workerd'] as const).flatMap((runtime) =>
  VENDORS.filter(({ name }) => CLIENTS.includes(name)).map((client) => embedded(runtime, client)),
)

function embedded(runtime: Runtime, client: WorkspaceClient): EmbeddedGateway {
  const packages: Packages = PACKAGES[runtime]
  const installation: Installation = { registry: 'npm', packages }
  return {
    name: `${TITLES[runtime]}, asked by ${client.name}`,
    format: client.format,
    packages,
    installation,
    client,
    start: (_, providers) =>
      startRuntime(runtime, join(commandOf(installation, runtime), '..'), PROGRAM, {
        PROVIDERS: JSON.stringify(providers),
        API_KEY,
      }),
  }
}
