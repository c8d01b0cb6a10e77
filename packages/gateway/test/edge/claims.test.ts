import { describe, expect, it } from 'vitest'
import {
  addBodyClaims,
  headerClaims,
  SESSION_FIELDS,
  SESSION_HEADERS,
  USER_FIELDS,
  USER_HEADERS,
} from '../../src/edge/claims.ts'
import { tagsOf } from '../../src/edge/tags.ts'

const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e'

function claimsOf(headers: Record<string, string>, body: object = {}) {
  const claims = headerClaims({ headers })
  addBodyClaims(claims, { ...body })
  return claims
}

describe('End user and session of a request', () => {
  it.each<[string, Record<string, string>, object, { endUser?: string; session?: string }]>([
    ['a session header', { 'x-claude-code-session-id': UUID }, {}, { session: UUID }],
    ['the more specific header', { 'x-session-id': 'b', 'session-id': 'a' }, {}, { session: 'a' }],
    [
      'headers before the body',
      { 'x-session-id': 'a' },
      { session_id: 'b', user: 'ada' },
      { session: 'a', endUser: 'ada' },
    ],
    ['a user header', { 'helicone-user-id': ' ada ' }, {}, { endUser: 'ada' }],
    ['the safer of two users', {}, { user: 'ada', safety_identifier: 'hash' }, { endUser: 'hash' }],
    ['metadata', {}, { metadata: { user_id: 'ada', session_id: 's' } }, { endUser: 'ada', session: 's' }],
    [
      'a user with a session at its end',
      {},
      { metadata: { user_id: `user_ab12_account__session_${UUID}` } },
      { endUser: 'user_ab12_account', session: UUID },
    ],
    [
      'JSON with both',
      {},
      { metadata: { user_id: JSON.stringify({ device_id: 'd', account_uuid: 'a', session_id: UUID }) } },
      { endUser: 'a', session: UUID },
    ],
    ['the thread of a prompt cache', {}, { prompt_cache_key: 'thread' }, { session: 'thread' }],
    ['a conversation', {}, { conversation: { id: 'conv_1' } }, { session: 'conv_1' }],
  ])('are read from %s', (_, headers, body, { endUser, session }) => {
    expect(claimsOf(headers, body)).toEqual({ endUser, session })
  })

  it.each([
    ['too long', 'x'.repeat(129)],
    ['empty', ' '],
    ['of control characters', 'a\nb'],
    ['invisible', 'a\u200bb'],
    ['no string', 7],
    ['an object', { id: { id: 'x' } }],
    ['JSON that is not valid', '{"session_id":'],
  ])('are left out if they are %s', (_, value) => {
    const headers = typeof value === 'string' ? { 'x-session-id': value, 'helicone-user-id': value } : {}
    const body = { session_id: value, user: value, conversation: value, metadata: value }
    const expected = value === '{"session_id":' ? { endUser: value, session: value } : {}
    expect(claimsOf(headers, body)).toEqual({ endUser: undefined, session: undefined, ...expected })
  })
})

describe('Each convention of a client', () => {
  it.each([
    ...SESSION_HEADERS.map((name) => [name, 'session'] as const),
    ...USER_HEADERS.map((name) => [name, 'endUser'] as const),
  ])('is read: header %s', (name, field) => {
    expect(claimsOf({ [name]: 'abc-1' })[field]).toBe('abc-1')
    expect(claimsOf({ [name]: 'x'.repeat(129) })[field]).toBeUndefined()
  })

  it.each([
    ...SESSION_FIELDS.map((name) => [name, 'session'] as const),
    ...USER_FIELDS.map((name) => [name, 'endUser'] as const),
  ])('is read: field %s as %s', (name, field) => {
    const [outer = '', inner] = name.split('.')
    const value = name === 'metadata.user_id' ? 'abc-1_session_abc-1' : 'abc-1'
    expect(claimsOf({}, { [outer]: inner === undefined ? value : { [inner]: value } })[field]).toBe('abc-1')
  })

  it.each<[string, Record<string, string>, Record<string, string> | undefined]>([
    ['a list', { 'x-litellm-tags': 'prod, team:blue,job=nightly' }, { prod: 'true', team: 'blue', job: 'nightly' }],
    ['properties', { 'helicone-property-App': 'chat', 'helicone-property-env': ' dev ' }, { app: 'chat', env: 'dev' }],
    ['a value that cannot be stored', { 'helicone-property-app': 'two words', 'x-litellm-tags': 'a b' }, undefined],
    [
      'more than eight',
      { 'x-litellm-tags': 'a,b,c,d,e,f,g,h,i' },
      Object.fromEntries([...'abcdefgh'].map((name) => [name, 'true'])),
    ],
    ['tags of its own', { 'headgate-tags': 'team=a', 'x-litellm-tags': 'b' }, { team: 'a' }],
  ])('is read as tags: %s', (_, headers, tags) => {
    expect(tagsOf({ headers })).toEqual(tags)
  })
})
