import type { RoutingPolicy } from '@headgate/gateway/ports'
import { isSection, type LiteLLMFile } from './file.ts'
import type { UpstreamContext } from './upstream.ts'

/** Policy for a strategy of LiteLLM, and what is different. */
interface StrategyPolicy {
  readonly policy: RoutingPolicy
  readonly otherwise: string
}

const WEIGHTED = 'requests are distributed by weight (`weighted`)'
const USAGE: StrategyPolicy = {
  policy: 'weighted',
  otherwise: `${WEIGHTED}, and not by usage: an endpoint whose \`limits\` are reached is skipped`,
}

/** Policies by `routing_strategy`. @see https://docs.litellm.ai/docs/router/learn/strategies */
const STRATEGIES: Readonly<Record<string, StrategyPolicy>> = {
  'simple-shuffle': { policy: 'weighted', otherwise: WEIGHTED },
  'least-busy': { policy: 'least-busy', otherwise: 'the less busy of two endpoints is called (`least-busy`)' },
  'latency-based-routing': {
    policy: 'fastest',
    otherwise: 'the endpoint with the shortest time to the first token is called (`fastest`)',
  },
  'cost-based-routing': {
    policy: 'cheapest',
    otherwise: 'the endpoint with the lowest price for the request, including cached tokens, is called (`cheapest`)',
  },
  'usage-based-routing': USAGE,
  'usage-based-routing-v2': USAGE,
}

const AFFINITY =
  'requests prefer the endpoint that has their prompt in its cache; this is on by default (docs/routing.md)'

/** Remarks on `optional_pre_call_checks`. @see https://docs.litellm.ai/docs/router/api_reference/configuration */
const CHECKS: Readonly<Record<string, string>> = {
  prompt_caching: AFFINITY,
  session_affinity: AFFINITY,
  deployment_affinity: AFFINITY,
  responses_api_deployment_check: 'stored responses always stay with the provider account that has them',
  encrypted_content_affinity: 'signed reasoning always stays with the providers that can read it',
  enforce_model_rate_limits: 'limits of endpoints are always enforced',
}

/** Policy for models with several deployments. LiteLLM's default distributes requests by weight. */
export function policyOf({ router_settings: settings }: LiteLLMFile, { remark }: UpstreamContext): RoutingPolicy {
  const given = settings?.['routing_strategy'] ?? undefined
  if (given === undefined) return 'weighted'
  const path = ['router_settings', 'routing_strategy']
  const strategy = typeof given === 'string' && Object.hasOwn(STRATEGIES, given) ? STRATEGIES[given] : undefined
  if (strategy) remark('otherwise', path, strategy.otherwise)
  else remark('left', path, `is unknown: ${WEIGHTED}`)
  return strategy?.policy ?? 'weighted'
}

/** Adds remarks on checks before calls. */
export function remarkChecks({ router_settings: settings }: LiteLLMFile, { remark }: UpstreamContext): void {
  const given = settings?.['optional_pre_call_checks']
  const checks: readonly unknown[] = Array.isArray(given) ? given : []
  for (const [index, check] of checks.entries()) {
    const text = typeof check === 'string' && Object.hasOwn(CHECKS, check) ? CHECKS[check] : undefined
    remark(
      text ? 'otherwise' : 'left',
      ['router_settings', 'optional_pre_call_checks', index],
      text ?? 'has no equivalent',
    )
  }
  if (isSection(given)) remark('left', ['router_settings', 'optional_pre_call_checks'], 'is not a list')
}
