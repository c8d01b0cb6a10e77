import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway, type Gateway, type GatewayOptions, type UsageRow } from '@headgate/gateway'
import { ask, CALLER_KEY, type CallerResponse, type Question } from './caller.ts'

/** Gateway behind a socket, with all of its output. */
export interface Served {
  readonly gateway: Gateway
  /** Scheme, host and port. */
  readonly url: string
  /** Usage rows, oldest first. */
  readonly rows: readonly UsageRow[]
  readonly warnings: readonly string[]
  /** All output to callers and operators. The kit searches it for secrets. */
  readonly said: readonly string[]
  ask(question: Question): Promise<CallerResponse>
  /** Resolves once no connection is open. */
  close(): Promise<void>
}

/** Creates a gateway: `createGateway`, or a function that adds families. */
export type MakeGateway = (options: GatewayOptions) => Gateway

/** Serves a gateway that accepts the key of the kit's callers. */
export async function serveGateway(options: GatewayOptions, make: MakeGateway = createGateway): Promise<Served> {
  const rows: UsageRow[] = []
  const said: string[] = []
  const warnings: string[] = []
  const gateway = make({
    ...options,
    // Each check counts its own calls.
    retries: { least: Number.POSITIVE_INFINITY },
    authenticate: (credential) => (credential === CALLER_KEY ? { id: 'caller' } : undefined),
    ledger: {
      settle(row) {
        rows.push(row)
        said.push(JSON.stringify(row))
      },
    },
    onAccess: (record) => void said.push(JSON.stringify(record)),
    onWarning(warning) {
      warnings.push(warning)
      said.push(warning)
    },
  })
  // Connections last as long as the gateway: a request on an idle connection that just closed would look like a
  // failure.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => gateway.node(request, response))
  const agent = new Agent({ keepAlive: true })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    gateway,
    url,
    rows,
    warnings,
    said,
    async ask(question) {
      const got = await ask(url, question, agent)
      said.push(JSON.stringify(got.headers), got.text)
      return got
    },
    async close() {
      agent.destroy()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      gateway.abort()
      await gateway.close()
    },
  }
}
