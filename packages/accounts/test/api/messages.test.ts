import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../src/api/routes.ts'
import { openWorldFor, type World } from '../support/api.ts'
import { addressOf, SAMPLES } from '../support/samples.ts'
import { wrongRequests, wrongText, wrongTexts } from '../support/wrong-input.ts'

let world: World
const named = ROUTES.map((route) => ({ name: `${route.method.toUpperCase()} ${route.path}`, route }))

describe('An error of the management API', () => {
  beforeAll(async () => {
    world = await openWorldFor()
  })
  afterAll(() => world.close())

  it.each(named)('is a sentence for users, whatever is wrong: $name', { timeout: 60_000 }, async ({ route }) => {
    let who = await world.person('owner')
    const sample = (await SAMPLES[route.id]?.(world, who)) ?? {}
    const wrong = new Set<string>()
    let errors = 0
    for (const request of wrongRequests(route, sample)) {
      const answered = await who.ask(route.method.toUpperCase(), addressOf(route.path, request), {
        body: request.body,
        headers: sample.headers ?? {},
      })
      for (const one of wrongTexts(answered)) wrong.add(one)
      if (answered.status >= 400) errors += 1
      // Some requests are right and end the session.
      if (answered.status === 401) who = await world.person('owner')
    }
    expect([...wrong]).toEqual([])
    expect(errors, 'No request was wrong.').toBeGreaterThan(0)
  })

  it.each(named)('is a sentence for users without permission: $name', async ({ route }) => {
    const sample = (await SAMPLES[route.id]?.(world, undefined)) ?? {}
    const viewer = await world.person('viewer')
    for (const who of [world.nobody, viewer, world.withKey('hgk_unknown')]) {
      const { body, headers = {} } = sample
      const answered = await who.ask(route.method.toUpperCase(), addressOf(route.path, sample), { body, headers })
      expect(wrongTexts(answered)).toEqual([])
    }
  })

  it('is a sentence for users where the body, its type, its version, the path or the method is wrong', async () => {
    const { owner } = world
    const ask = async (method: string, path: string, given: Parameters<typeof owner.ask>[2] = {}) =>
      expect(wrongTexts(await owner.ask(method, path, given)), `${method} ${path}`).toEqual([])
    for (const raw of ['{', '', 'null', '[]', '"x"', '{"name":', '[[[', '{"a":1}}', `{"name":"${'x'.repeat(66_000)}"}`])
      await ask('POST', '/projects', { raw })
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data', ''])
      await ask('POST', '/projects', { raw: '{"name":"x"}', headers: { 'content-type': type } })
    for (const match of ['x', '"x"', 'W/"1"', '"999"', '*, "1"'])
      await ask('PATCH', '/projects/prj_default', { body: { name: 'x' }, headers: { 'if-match': match } })
    for (const once of ['', 'x'.repeat(1_000), '\u00e9'])
      await ask('POST', '/projects', { body: { name: 'x' }, headers: { 'idempotency-key': once } })
    for (const origin of ['null', 'https://evil.example', 'x'])
      await ask('POST', '/projects', { body: { name: 'x' }, headers: { origin } })
    for (const path of ['/nothing', '/keys/a/b/c/d', '/%ff', '/keys/%00', '//', '/KEYS']) await ask('GET', path)
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) await ask(method, '/keys')
    await ask('GET', '/keys', { headers: { authorization: 'Basic x' } })
  })
})

describe('The check of texts', () => {
  it('finds what validators, stores and runtimes write', () => {
    for (const text of [
      'Invalid input: expected string, received undefined.',
      'Too small: expected string to have >=1 characters.',
      'The value must be equal to one of the allowed values.',
      'Wrong value at /limits/0/name.',
      'Unexpected token } in JSON at position 4.',
      'SQLITE_CONSTRAINT: UNIQUE constraint failed: keys.id.',
      'duplicate key value violates unique constraint "people_pkey".',
      "TypeError: Cannot read properties of undefined (reading 'x').",
      'Failed at handle (/srv/api.ts:12:3).',
      'connect ECONNREFUSED 127.0.0.1:5432.',
      '[object Object].',
      'no sentence',
    ])
      expect(wrongText({ where: 'detail', text }), text).toBeDefined()
    expect(wrongText({ where: 'detail', text: '`expected`: This field is required.' })).toBeUndefined()
  })
})
