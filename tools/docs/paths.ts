import { isObject } from '../../packages/core/src/canonical/json.ts'
import { createGateway } from '../../packages/gateway/src/gateway.ts'
import { code, table } from './markdown.ts'

/** Every path of the gateway, from its OpenAPI document. */
export function pathsTable(): string {
  const { paths } = createGateway({ providers: [], search: { backends: [] } }).openapi()
  const rows = Object.entries(Object(paths) as object).flatMap(([path, item]) =>
    Object.entries(Object(item) as object).map(([method, operation]) => [
      code(`${method.toUpperCase()} ${path}`),
      isObject(operation) ? String(operation['summary']) : '',
    ]),
  )
  return table(['path', 'purpose'], rows)
}
