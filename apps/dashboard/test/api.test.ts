import { ROUTES } from '@headgate/accounts/api'
import { describe, expect, it } from 'vitest'
import { addressOf } from '../web/api/call.ts'
import { chooseOrganization, isPersonal } from '../web/api/organization.ts'
import { problemFrom } from '../web/api/problem.ts'

describe('An address of the API', () => {
  it('has what is asked for, quoted, and no field that is absent', () => {
    const query = { limit: 5, model: 'a/b&c', cursor: undefined }
    expect(addressOf('GET /usage', { query })).toBe('/api/v1/usage?limit=5&model=a%2Fb%26c')
    expect(addressOf('GET /keys/{key}', { params: { key: 'key_/1' } })).toBe('/api/v1/keys/key_%2F1')
  })

  it('names the organization where the route takes one, and only there', () => {
    for (const { path, action } of ROUTES) expect([path, isPersonal(path)]).toEqual([path, action === undefined])
    chooseOrganization('org_2')
    try {
      expect(addressOf('GET /keys')).toBe('/api/v1/keys?organization=org_2')
      expect(addressOf('GET /me')).toBe('/api/v1/me')
    } finally {
      chooseOrganization(undefined)
    }
  })
})

describe('A problem', () => {
  it('names its fields, and when to try again', () => {
    const details = {
      type: 'urn:headgate:error:over-limit',
      title: 'Too many requests',
      status: 429,
      detail: 'Wait.',
      instance: 'req_1',
    }
    const problem = problemFrom(new Response('', { status: 429, headers: { 'retry-after': '4' } }), {
      ...details,
      errors: [{ field: 'name', message: 'Too long.' }, 'x'],
    })
    expect([problem.of('name'), problem.of('other'), problem.retryAfterMs, problem.message]).toEqual([
      'Too long.',
      undefined,
      4_000,
      'Wait.',
    ])
  })

  it('is told also where the answer is none of the API’s', () => {
    const problem = problemFrom(new Response('<html>', { status: 502 }), undefined)
    expect([problem.status, problem.details.detail]).toEqual([502, 'The gateway returned status 502.'])
  })

  it('says when somebody has to show who they are once more', () => {
    const body = { status: 403, errors: [{ field: 'session', message: 'Confirm it.' }] }
    expect(problemFrom(new Response('', { status: 403 }), body).wantsConfirmation).toBe(true)
    expect(problemFrom(new Response('', { status: 403 }), {}).wantsConfirmation).toBe(false)
  })
})
