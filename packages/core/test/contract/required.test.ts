import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { baseUrl, defineProvider, required } from '../../src/provider.ts'
import { bearer, defineSearchBackend } from '../../src/search.ts'

/** A host, or the name of a resource; and a key. */
const config = z
  .strictObject({
    resource: z.string().optional(),
    baseUrl: baseUrl.optional(),
    apiKey: z.string().optional(),
  })
  .transform((given, context) => ({
    baseUrl: required(
      given.baseUrl ?? (given.resource && `https://${given.resource}.acme.example`),
      context,
      'there is no resource: set ACME_RESOURCE',
      'baseUrl',
    ),
    credential: required(given.apiKey === undefined ? undefined : bearer(given.apiKey), context, 'there is no key'),
  }))

const acme = defineProvider(
  { id: 'acme', title: 'Acme', config, env: { apiKey: ['ACME_API_KEY'], resource: ['ACME_RESOURCE'] } },
  ({ baseUrl, credential }) => ({ baseUrl, credential }),
)

describe('A config that ends with a transform', () => {
  it('gives the adapter what it checked', () => {
    const credential = { kind: 'header', name: 'authorization', value: 'Bearer k' }
    expect(acme({ resource: 'eu', apiKey: 'k' })).toMatchObject({ baseUrl: 'https://eu.acme.example', credential })
    expect(acme({ resource: 'eu', apiKey: 'k' }).mayLoop).toBeUndefined()
    expect(acme({ baseUrl: 'https://proxy.example', apiKey: 'k' }).mayLoop).toBe(true)
  })

  it('reports everything that is missing', () => {
    expect(config.safeParse({}).error?.issues.map(({ path, message }) => [path, message])).toEqual([
      [['baseUrl'], 'there is no resource: set ACME_RESOURCE'],
      [[], 'there is no key'],
    ])
  })

  it('refuses unknown fields, and has a JSON schema of what is written', () => {
    expect(() => acme({ resource: 'eu', apiKey: 'k', ...JSON.parse('{ "apikey": "k" }') })).toThrow('apikey')
    const schema = z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' })
    expect([Object.keys(schema.properties ?? {}), schema.additionalProperties]).toEqual([
      ['resource', 'baseUrl', 'apiKey'],
      false,
    ])
  })

  it('serves search backends too', () => {
    const seek = defineSearchBackend({ id: 'seek', title: 'Seek', config, env: {} }, (given) => ({
      ...given,
      paging: { by: 'none', maxResults: 10 },
      search: { run: async () => ({ items: [] }) },
    }))
    expect(seek({ resource: 'eu', apiKey: 'k' })).toMatchObject({ baseUrl: 'https://eu.acme.example' })
  })
})
