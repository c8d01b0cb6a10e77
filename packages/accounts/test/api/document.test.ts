import { describe, expect, it } from 'vitest'
import { createManagementApi } from '../../src/api/api.ts'
import { ROUTES } from '../../src/api/routes.ts'

describe('The document of the management API', () => {
  it('has each path once, with its prefix once', () => {
    const api = createManagementApi({ origins: ['http://localhost:8787'], accounts: {} } as never)
    const paths = Object.keys(api.openapi().paths)
    api.close()
    expect(paths.toSorted()).toEqual([...new Set(ROUTES.map(({ path }) => `/api/v1${path}`))].toSorted())
  })
})
