import { describe, expect, it } from 'vitest'
import { basePathOf, withoutBasePath } from '../src/service/router.ts'

describe('The base path', () => {
  it('is the path of the public URL', () => {
    const urls = [
      undefined,
      'https://a.example',
      'https://a.example/',
      'https://a.example/gate/',
      'https://a.example/a/b',
    ]
    expect(urls.map(basePathOf)).toEqual(['', '', '', '/gate', '/a/b'])
  })

  it('is removed once, where a proxy passed it on', () => {
    const targets = ['/gate/v1/models?a=1', '/gate', '/gate?x', '/gate/', '/v1/models', '/gateway/x', '/gate/gate/x']
    expect(targets.map((target) => withoutBasePath(target, '/gate'))).toEqual([
      '/v1/models?a=1',
      '/',
      '/?x',
      '/',
      '/v1/models',
      '/gateway/x',
      '/gate/x',
    ])
  })

  it('stays if it could be a path of the gateway', () => {
    expect(withoutBasePath('/api/v1/me', '/api')).toBe('/api/v1/me')
    expect(withoutBasePath('/v1/chat/completions', '/v1')).toBe('/v1/chat/completions')
  })
})
