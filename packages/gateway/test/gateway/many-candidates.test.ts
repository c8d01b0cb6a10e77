import { describe, expect, it } from 'vitest'
import { CHAT, messagesAnswer } from '../../../core/test/support/wire.ts'
import { messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const image = `data:image/png;base64,iVBORw0KGgo${'A'.repeat(4_000_001)}`
const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: image } }] }]

/** Twelve hosts of one model; each counts how often a request was written for it. */
async function start(answers: readonly number[]) {
  let written = 0
  const upstream = await startUpstream((call) => {
    const status = answers[upstream.calls.length - 1] ?? 200
    call.answer(
      status,
      status === 200 ? messagesAnswer() : { type: 'error', error: { type: 'api_error', message: 'down' } },
    )
  })
  const providers = Array.from({ length: 12 }, (_, nth) =>
    messagesProvider(upstream.url, {
      name: `host-${nth}`,
      chat: [
        {
          format: 'messages',
          path: () => '/messages',
          patchRequest(body) {
            written++
            return body
          },
        },
      ],
    }),
  )
  const { post } = await startGateway('fetch', {
    providers,
    models: { all: providers.map(({ name }) => `${name}/small`) },
  })
  return { ask: () => post(CHAT, { model: 'all', messages }), written: () => written }
}

describe('Twelve hosts of one model', () => {
  it('cost what one costs while the first answers', async () => {
    const { ask, written } = await start([200])
    const answer = await ask()
    expect([answer.status, answer.headers.get('headgate-vendor'), written()]).toEqual([200, 'host-0', 1])
  })

  it('cost as many as are asked', async () => {
    const { ask, written } = await start([500, 500, 200])
    const answer = await ask()
    expect([answer.status, answer.headers.get('headgate-vendor'), written()]).toEqual([200, 'host-2', 3])
  })
})
