import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createEntrance } from '../src/service/router.ts'

it('Requests that arrive while the program starts wait until it serves', async () => {
  const entrance = createEntrance()
  const server = createServer((request, response) => entrance.handle(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const arrived = once(server, 'request')
  const early = fetch(`${url}/v1/models`)
  await arrived
  entrance.open({ handle: ({ url }, response) => void response.end(`served ${url}`), clientError: () => {} })
  expect(await (await early).text()).toBe('served /v1/models')
  expect(await (await fetch(`${url}/readyz`)).text()).toBe('served /readyz')
})
