import { isNetwork } from '../edge/addresses.ts'
import { checkOrigins } from '../edge/origin.ts'
import type { GatewayOptions } from '../ports/gateway-options.ts'

const USAGE = 'Pass a list of providers: createGateway({ providers: [openai({ apiKey })], authenticate })'

/** Description of a value that is not a provider; undefined = it may be one. */
function wrongProvider(value: unknown): string | undefined {
  if (typeof value === 'function') return 'is an adapter that was not called: write `acme({ apiKey })`, not `acme`'
  if (typeof value !== 'object' || value === null) return `is ${value === null ? 'null' : typeof value}`
  if ('provider' in value) {
    const inner = wrongProvider(value.provider)
    return inner === undefined ? undefined : `has a \`provider\` that ${inner}`
  }
  return 'name' in value && 'credential' in value ? undefined : 'is not a provider. Call an adapter to create one'
}

/**
 * Checks options for callers without TypeScript.
 * @throws TypeError that names the invalid option
 */
export function checkOptions(options: GatewayOptions): void {
  const {
    providers,
    origins = [],
    trustedProxies = [],
    basePath = '',
    spending = {},
    idempotency = {},
  }: Partial<GatewayOptions> = options ?? {}
  if (!Array.isArray(providers)) throw new TypeError(`createGateway has no \`providers\`. ${USAGE}.`)
  for (const [index, provider] of providers.entries()) {
    const wrong = wrongProvider(provider)
    if (wrong !== undefined) throw new TypeError(`createGateway: providers[${index}] ${wrong}.`)
  }
  if (basePath !== '' && !/^\/.*[^/]$/.test(basePath))
    throw new TypeError(`createGateway: basePath "${basePath}" must begin with a slash and not end with one: "/ai".`)
  const { leastOutput = 1 } = spending
  if (!Number.isSafeInteger(leastOutput) || leastOutput < 1)
    throw new TypeError('createGateway: spending.leastOutput must be an integer of at least 1.')
  const { keepMs = 1, responseBytes = 1 } = idempotency || {}
  if (!(keepMs > 0)) throw new TypeError('createGateway: idempotency.keepMs must be above 0.')
  if (!(responseBytes > 0)) throw new TypeError('createGateway: idempotency.responseBytes must be above 0.')
  checkOrigins(origins)
  const noNetwork = trustedProxies.find((text) => !isNetwork(text))
  if (noNetwork !== undefined)
    throw new TypeError(`trustedProxies: ${JSON.stringify(noNetwork)} is neither an IP address nor a network.`)
}
