import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadSettings } from '../apps/server/src/config/settings.ts'
import { takeInventory } from '../apps/server/src/service/inventory.ts'
import { createLog } from '../apps/server/src/service/log.ts'
import { startService } from '../apps/server/src/service/service.ts'
import { createGateway, type Gateway, type GatewayOptions } from '../packages/gateway/src/index.ts'

/**
 * The program in a separate process, with a switch for the record of refused requests: two gateways over the same store
 * and limits, one with and one without it. `/on` and `/off` switch, and `/written` waits until all records are stored.
 * Each returns CPU times so far in microseconds, of the main thread and of the process, and the number of times that
 * other processes interrupted it.
 */
let isOn = true

function switchable(options: GatewayOptions): Gateway {
  const on = createGateway(options)
  const off = createGateway({ ...options, refusals: undefined })
  return {
    ...on,
    node: (request, response, awaitsContinue) => (isOn ? on : off).node(request, response, awaitsContinue),
    ready: async () => {
      await Promise.all([on.ready(), off.ready()])
    },
    close: async () => {
      await Promise.all([on.close(), off.close()])
    },
    abort: () => {
      on.abort()
      off.abort()
    },
  }
}

const context = { folder: process.cwd(), environment: process.env }
const settings = await loadSettings({}, context)
const inventory = await takeInventory(settings, context)
const log = createLog('warn')
const service = await startService({
  settings,
  inventory,
  log,
  environment: process.env,
  create: switchable,
})
await service.gateway.ready()

const control = createServer(async (request, response) => {
  if (request.url === '/on' || request.url === '/off') isOn = request.url === '/on'
  // A read of usage writes pending records first.
  if (request.url === '/written') await service.store.usage.rows({ limit: 1 })
  const main = process.threadCpuUsage()
  const { userCPUTime, systemCPUTime, involuntaryContextSwitches: interruptions } = process.resourceUsage()
  const times = { main: main.user + main.system, process: userCPUTime + systemCPUTime, interruptions }
  response.end(JSON.stringify({ url: service.url, ...times }))
})
control.listen(0, '127.0.0.1', () => console.log(`listening ${(control.address() as AddressInfo).port}`))

process.once('SIGTERM', async () => {
  control.close()
  control.closeAllConnections()
  await service.stop()
  log.flush()
  process.exit()
})
