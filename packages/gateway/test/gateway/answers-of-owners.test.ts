import { describe, expect, it } from 'vitest'
import type { SharedUse } from '../../src/ports.ts'
import { messagesProvider } from '../support/gateway.ts'
import { counting, native, STRANGERS, startKeeping as start } from '../support/keeping.ts'
import { responsesProvider } from '../support/responses.ts'

describe('An answer that was translated', () => {
  it('has an id that does not follow from its request, nor do the ids of its items', async () => {
    const { ask } = await start('node', counting)
    for (const stream of [false, true]) {
      const answered = await ask({ stream })
      const request = answered.headers.get('x-request-id')?.slice('req_'.length) ?? ''
      expect(request).toHaveLength(32)
      expect(await answered.text()).not.toContain(request)
    }
  })

  it.each([
    ['service', 'service-2', true],
    ['service', 'operator', false],
    ['operator', 'service', false],
    ['operator', 'one', false],
    ['alone', 'one', false],
  ])('that the key %s has made is there for the key %s: %s', async (maker, reader, isThere) => {
    const { answer, ask, at } = await start('node', counting)
    const { id } = await answer({}, maker)
    expect((await at(id, 'GET', maker)).status).toBe(200)
    const status = isThere ? 200 : 404
    expect([(await at(id, 'GET', reader)).status, (await ask({ previous_response_id: id }, reader)).status]).toEqual([
      status,
      status,
    ])
  })

  it('is there for the other keys of a project that shares, and each such use is recorded before', async () => {
    const uses: unknown[] = []
    const audit = async ({ principal, answer, use, requestId }: SharedUse) => {
      expect(requestId).toMatch(/^req_/)
      uses.push([principal.id, answer.id, answer.key, use])
    }
    const { answer, ask, at } = await start('node', counting, messagesProvider, { responses: { audit } })
    const { id } = await answer({})
    const own = await answer({}, 'sharing')
    expect((await at(own.id, 'GET', 'sharing')).status).toBe(200)
    expect((await ask({ previous_response_id: own.id }, 'sharing')).status).toBe(200)
    expect(uses).toEqual([])
    expect((await ask({ previous_response_id: id }, 'sharing')).status).toBe(200)
    for (const [rest, method, status] of [
      [id, 'GET', 200],
      [`${id}/input_items`, 'GET', 200],
      [id, 'DELETE', 200],
      [id, 'GET', 404],
    ] as const)
      expect((await at(rest, method, 'sharing')).status).toBe(status)
    expect(uses).toEqual(['continue', 'read', 'read', 'delete'].map((use) => ['key-9', id, 'key-1', use]))
    const silent = await start('node', counting, messagesProvider, {
      responses: { audit: () => Promise.reject(new Error('no audit log')) },
    })
    const { id: other } = await silent.answer({})
    expect((await silent.at(other, 'GET', 'sharing')).status).toBe(500)
    expect((await silent.at(other)).status).toBe(200)
  })
})

describe('An answer that lives at its provider', () => {
  it('is of nobody else, though ids that nobody here knows go up', async () => {
    const { answer, ask, at, upstream } = await start('node', native, responsesProvider, {
      responses: { foreignIds: 'allow' },
    })
    const { output } = await answer({})
    const named = [{ previous_response_id: 'resp_1' }, { input: [{ type: 'item_reference', id: output[0]?.id }] }]
    for (const key of STRANGERS) {
      for (const body of named) expect((await ask(body, key)).status, key).toBe(404)
      expect((await at('resp_1', 'GET', key)).status).toBe(404)
    }
    expect(upstream.calls).toHaveLength(1)
    for (const body of named) expect((await ask(body, 'other')).status).toBe(200)
  })
})
