import { describe, expect, it, vi } from 'vitest'
import type { Codec } from '../../../core/src/canonical.ts'
import type { ProviderInstance } from '../../../core/src/contract/provider.ts'
import type { ErrorKind } from '../../../core/src/errors.ts'
import { formats } from '../../../core/src/formats/index.ts'
import { createUpstreamLimits } from '../../src/routing/upstream-limits.ts'
import { failureOf } from '../../src/serve/failure.ts'

const UNIX = Date.parse('2026-03-01T20:30:00Z')
/** A time of the monotonic clock. */
const NOW = 5_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

type Headers = Readonly<Record<string, string>>

interface Refusal {
  readonly status?: number
  readonly headers?: Headers
  readonly body?: unknown
  /** Default: `rate-limited`. */
  readonly kind?: ErrorKind
  /** Milliseconds that the vendor requests; absent = the vendor states no time. */
  readonly wait?: number
  /** True for a used-up quota of a day, which must not be called more than twice an hour. */
  readonly isDay?: boolean
}

interface Fixture {
  readonly id: string
  readonly name?: string
  /** Page that documents the headers or the body. */
  readonly page: string
  readonly config?: object
  /** Headers of a success. */
  readonly success?: Headers
  /** Remaining amounts that the success reports. */
  readonly remaining?: object
  readonly refusals: readonly Refusal[]
}

const error = (message: string, more: object = {}) => ({ error: { message, type: 'rate_limit_error', ...more } })

/** Error of Google's APIs. */
const exhausted = (message: string, ...details: readonly object[]) => ({
  error: { code: 429, message, status: 'RESOURCE_EXHAUSTED', details },
})
const retryInfo = (retryDelay: string) => ({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay })
const quota = (quotaId: string) => ({
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaMetric: 'generativelanguage.googleapis.com/requests', quotaId, quotaValue: '20' }],
})

const FIXTURES: readonly Fixture[] = [
  {
    id: 'openai',
    page: 'https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers',
    success: {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-limit-tokens': '150000',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-remaining-tokens': '149984',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-reset-tokens': '6m0s',
    },
    remaining: { requests: 59, tokens: 149_984, resetAt: UNIX + 360_000 },
    refusals: [
      {
        headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' },
        body: error('Rate limit reached for requests', { type: 'requests', code: 'rate_limit_exceeded' }),
        wait: 360_000,
      },
      {
        body: error('Rate limit reached on tokens per min (TPM): Limit 30000, Used 29500. Please try again in 3.5s.'),
        wait: 3_500,
      },
      { headers: { 'retry-after-ms': '250', 'retry-after': '1' }, body: error('Slow down.'), wait: 250 },
      {
        body: error('You exceeded your current quota.', { type: 'insufficient_quota', code: 'insufficient_quota' }),
        kind: 'our-quota',
      },
    ],
  },
  {
    id: 'anthropic',
    page: 'https://platform.claude.com/docs/en/api/rate-limits#response-headers',
    success: {
      'retry-after': '17',
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '49',
      'anthropic-ratelimit-requests-reset': '2026-03-01T20:30:02Z',
      'anthropic-ratelimit-input-tokens-limit': '50000',
      'anthropic-ratelimit-input-tokens-remaining': '48000',
      'anthropic-ratelimit-input-tokens-reset': '2026-03-01T20:30:03Z',
      'anthropic-ratelimit-output-tokens-remaining': '10000',
      'anthropic-ratelimit-output-tokens-reset': '2026-03-01T20:30:00Z',
    },
    remaining: { requests: 49, tokens: 48_000, resetAt: UNIX + 3_000 },
    refusals: [
      { headers: { 'retry-after': '33' }, body: { type: 'error', ...error('Slow down.') }, wait: 33_000 },
      {
        headers: {
          'anthropic-ratelimit-input-tokens-remaining': '0',
          'anthropic-ratelimit-input-tokens-reset': '2026-03-01T20:30:45Z',
        },
        body: { type: 'error', ...error('This request would exceed the rate limit.') },
        wait: 45_000,
      },
      {
        status: 529,
        body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
        kind: 'overloaded',
      },
      {
        body: {
          type: 'error',
          ...error('You have reached your API usage limits: your organization has crossed its monthly threshold.', {
            details: { error_code: 'enforced_spend_limit_reached' },
          }),
        },
        kind: 'our-quota',
      },
      {
        status: 400,
        body: {
          type: 'error',
          error: { type: 'invalid_request_error', message: 'You have reached your specified API usage limits.' },
        },
        kind: 'our-quota',
      },
    ],
  },
  {
    id: 'azure',
    name: 'azure, host of OpenAI: milliseconds',
    page: 'https://learn.microsoft.com/azure/ai-foundry/openai/how-to/quota',
    config: { baseUrl: 'https://name.openai.azure.com' },
    success: {
      'x-ratelimit-limit-requests': '120',
      'x-ratelimit-remaining-requests': '119',
      'x-ratelimit-reset-requests': '500',
      'x-ratelimit-limit-tokens': '-1',
      'x-ratelimit-remaining-tokens': '-1',
      'x-ratelimit-reset-tokens': '0',
    },
    remaining: { requests: 119, resetAt: UNIX + 500 },
    refusals: [
      { headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '40000' }, wait: 40_000 },
      { headers: { 'retry-after-ms': '5200', 'retry-after': '6' }, wait: 5_200 },
      {
        body: error('Your requests have exceeded the token rate limit. Please retry after 45 seconds.', {
          code: '429',
        }),
        wait: 45_000,
      },
      {
        body: error('Requests have exceeded the call rate limit. Please retry after 86400 seconds.', { code: '429' }),
        wait: DAY,
        isDay: true,
      },
    ],
  },
  {
    id: 'azure',
    name: 'azure, host of Foundry: seconds',
    page: 'https://learn.microsoft.com/azure/ai-foundry/openai/how-to/quota',
    config: { baseUrl: 'https://name.services.ai.azure.com' },
    success: {
      'x-ratelimit-limit-requests': '50',
      'x-ratelimit-remaining-requests': '49',
      'x-ratelimit-reset-requests': '1',
    },
    remaining: { requests: 49, resetAt: UNIX + 1_000 },
    refusals: [
      { headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '40' }, wait: 40_000 },
    ],
  },
  {
    id: 'azure',
    name: 'azure, another host: unknown unit',
    page: 'https://learn.microsoft.com/azure/ai-foundry/openai/how-to/quota',
    config: { baseUrl: 'https://proxy.example.com' },
    success: { 'x-ratelimit-remaining-requests': '49', 'x-ratelimit-reset-requests': '500' },
    remaining: { requests: 49 },
    refusals: [{ headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '500' } }],
  },
  {
    id: 'google',
    page: 'https://ai.google.dev/gemini-api/docs/rate-limits',
    refusals: [
      {
        body: exhausted(
          'Quota exceeded.',
          quota('GenerateRequestsPerMinutePerProjectPerModel-FreeTier'),
          retryInfo('34.4s'),
        ),
        wait: 34_400,
      },
      { body: exhausted('Quota exceeded.', retryInfo('36000s')), wait: 10 * HOUR, isDay: true },
      {
        body: exhausted('Quota exceeded.', quota('GenerateRequestsPerDay-FreeTier'), retryInfo('36000s')),
        wait: 10 * HOUR,
        isDay: true,
      },
      {
        // It is 12:30 in California.
        body: exhausted(
          'Quota exceeded, limit: 20. Please retry in 44.069306581s.',
          quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'),
          retryInfo('44s'),
        ),
        wait: 11.5 * HOUR,
        isDay: true,
      },
      {
        body: exhausted('Quota exceeded for metric: free_tier_requests, limit: 0, model: gemini-3.1-pro'),
        wait: DAY,
        isDay: true,
      },
    ],
  },
  {
    id: 'vertex',
    page: 'https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429',
    config: { project: 'p', location: 'us-central1' },
    refusals: [{ body: exhausted('Resource exhausted. Please try again later.') }],
  },
  {
    id: 'bedrock',
    page: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors',
    config: { region: 'us-east-1' },
    refusals: [
      {
        headers: { 'x-amzn-errortype': 'ThrottlingException' },
        body: { message: 'Too many tokens, please wait before trying again.' },
      },
      {
        headers: { 'x-amzn-errortype': 'ModelNotReadyException:http://internal.amazon.com/' },
        body: { message: 'Model is not ready for inference.' },
      },
      {
        status: 503,
        headers: { 'x-amzn-errortype': 'ServiceUnavailableException' },
        body: { message: 'The service is not available.' },
        kind: 'overloaded',
      },
    ],
  },
  {
    id: 'groq',
    page: 'https://console.groq.com/docs/rate-limits',
    success: {
      'x-ratelimit-limit-requests': '14400',
      'x-ratelimit-limit-tokens': '18000',
      'x-ratelimit-remaining-requests': '14370',
      'x-ratelimit-remaining-tokens': '17997',
      'x-ratelimit-reset-requests': '2m59.56s',
      'x-ratelimit-reset-tokens': '7.66s',
    },
    remaining: { requests: 14_370, tokens: 17_997, resetAt: UNIX + 179_560 },
    refusals: [
      { headers: { 'retry-after': '2' }, wait: 2_000 },
      {
        headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '11h17.399999999s' },
        wait: 11 * HOUR + 17_400,
        isDay: true,
      },
      { body: error('Rate limit reached on requests per day (RPD). Please try again in 2m59.56s.'), wait: 179_560 },
    ],
  },
  {
    id: 'mistral',
    page: 'https://docs.mistral.ai/deployment/ai-studio/tier',
    success: {
      'x-ratelimit-limit-req-minute': '720',
      'x-ratelimit-remaining-req-minute': '717',
      'x-ratelimit-limit-tokens-minute': '5000000',
      'x-ratelimit-remaining-tokens-minute': '4999911',
      'x-ratelimit-remaining-tokens-month': '999998798434',
      'x-ratelimit-tokens-query-cost': '52',
    },
    remaining: { requests: 717, tokens: 4_999_911 },
    refusals: [
      { headers: { 'x-ratelimit-remaining-req-10-second': '0' }, wait: 10_000 },
      { headers: { 'x-ratelimit-remaining-tokens-minute': '0' }, wait: 60_000 },
      { headers: { 'x-ratelimit-remaining-tokens-month': '0' }, wait: HOUR / 2, isDay: true },
      { body: { object: 'error', message: 'Requests rate limit exceeded', type: 'rate_limited', code: '1300' } },
    ],
  },
  {
    id: 'xai',
    page: 'https://docs.x.ai/developers/rate-limits',
    success: {
      'x-ratelimit-limit-requests': '480',
      'x-ratelimit-remaining-requests': '479',
      'x-ratelimit-limit-tokens': '2000000',
      'x-ratelimit-remaining-tokens': '1999990',
    },
    remaining: { requests: 479, tokens: 1_999_990 },
    refusals: [{ headers: { 'x-ratelimit-remaining-requests': '0' }, body: { code: '429', error: 'Too many.' } }],
  },
  {
    id: 'cerebras',
    page: 'https://inference-docs.cerebras.ai/support/rate-limits',
    success: {
      'x-ratelimit-limit-requests-day': '1000000000',
      'x-ratelimit-limit-tokens-minute': '1000000000',
      'x-ratelimit-remaining-requests-day': '999997455',
      'x-ratelimit-remaining-tokens-minute': '999998298',
      'x-ratelimit-reset-requests-day': '33011.382867',
      'x-ratelimit-reset-tokens-minute': '11.382867',
    },
    remaining: { requests: 999_997_455, tokens: 999_998_298, resetAt: UNIX + 33_011_383 },
    refusals: [
      {
        headers: { 'x-ratelimit-remaining-tokens-minute': '0', 'x-ratelimit-reset-tokens-minute': '11.382867' },
        wait: 11_383,
      },
      {
        headers: { 'x-ratelimit-remaining-requests-day': '0', 'x-ratelimit-reset-requests-day': '33011.382867' },
        wait: 33_011_383,
        isDay: true,
      },
    ],
  },
  {
    id: 'together',
    page: 'https://docs.together.ai/docs/rate-limits',
    success: {
      'retry-after': '1',
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': '1',
      'x-ratelimit-limit-tokens': '32767',
    },
    remaining: { requests: 1, resetAt: UNIX + 1_000 },
    refusals: [
      { headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }, wait: 1_000 },
      { status: 503, body: error('Service unavailable', { type: 'service_unavailable' }), kind: 'overloaded' },
    ],
  },
  {
    id: 'fireworks',
    page: 'https://docs.fireworks.ai/serverless/rate-limits',
    success: {
      'x-ratelimit-limit-tokens-prompt': '7200000',
      'x-ratelimit-remaining-tokens-prompt': '7193993',
      'x-ratelimit-limit-tokens-generated': '72000',
      'x-ratelimit-remaining-tokens-generated': '69338',
      'x-ratelimit-over-limit': 'yes',
    },
    remaining: { tokens: 7_193_993 },
    refusals: [
      { headers: { 'x-ratelimit-remaining-tokens-prompt': '0' } },
      { status: 503, body: error('Service overloaded'), kind: 'overloaded' },
    ],
  },
  {
    id: 'nebius',
    page: 'https://docs.tokenfactory.nebius.com/ai-models-inference/rate-limits',
    success: {
      'x-ratelimit-limit-requests': '600',
      'x-ratelimit-remaining-requests': '599',
      'x-ratelimit-reset-requests': '0.1',
      'x-ratelimit-limit-tokens': '400000',
      'x-ratelimit-remaining-tokens': '399944',
      'x-ratelimit-reset-tokens': '1s',
      'x-ratelimit-dynamic-period-remaining': '827s',
      'x-ratelimit-over-limit': 'yes',
    },
    remaining: { requests: 599, tokens: 399_944, resetAt: UNIX + 1_000 },
    refusals: [
      { headers: { 'retry-after': '4' }, wait: 4_000 },
      { headers: { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '12.5' }, wait: 12_500 },
    ],
  },
  {
    id: 'openai-compatible',
    name: 'DigitalOcean',
    page: 'https://docs.digitalocean.com/products/inference/reference/quota-specific-response-headers/',
    config: { baseUrl: 'https://inference.do-ai.run/v1', limitReset: 'epoch' },
    success: {
      'x-ratelimit-limit-requests': '120',
      'x-ratelimit-remaining-requests': '119',
      'x-ratelimit-reset-requests': String(UNIX / 1_000 + 1),
    },
    remaining: { requests: 119, resetAt: UNIX + 1_000 },
    refusals: [
      {
        headers: {
          'x-ratelimit-remaining-requests': '0',
          'x-ratelimit-reset-requests': String(UNIX / 1_000 + 25),
        },
        wait: 25_000,
      },
    ],
  },
  {
    id: 'openai-compatible',
    name: 'a LiteLLM upstream',
    page: 'https://docs.litellm.ai/docs/proxy/response_headers',
    config: { baseUrl: 'https://litellm.example.com/v1' },
    success: {
      'x-ratelimit-remaining-requests': '99',
      'x-ratelimit-remaining-tokens': '9980',
      'x-ratelimit-reset-requests': '600',
      'llm_provider-x-ratelimit-remaining-requests': '1',
    },
    remaining: { requests: 99, tokens: 9_980 },
    refusals: [
      { headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' }, wait: 360_000 },
      { headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '600' } },
      { headers: { 'retry-after': '60' }, wait: 60_000 },
    ],
  },
  {
    id: 'openrouter',
    page: 'https://openrouter.ai/docs/api/reference/errors-and-debugging',
    refusals: [
      { headers: { 'retry-after': '12' }, wait: 12_000 },
      { status: 503, headers: { 'retry-after': '5' }, kind: 'overloaded', wait: 5_000 },
      {
        body: { error: { code: 429, message: 'Busy.', availability: { retryable: true, retry_after: 7 } } },
        wait: 7_000,
      },
      {
        headers: {
          'x-ratelimit-limit': '50',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(UNIX + 3.5 * HOUR),
        },
        wait: 3.5 * HOUR,
        isDay: true,
      },
      {
        body: {
          error: {
            code: 429,
            message: 'Rate limit exceeded: free-models-per-day.',
            metadata: {
              headers: {
                'X-RateLimit-Limit': '50',
                'X-RateLimit-Remaining': '0',
                'X-RateLimit-Reset': String(UNIX + 3.5 * HOUR),
              },
            },
          },
        },
        wait: 3.5 * HOUR,
        isDay: true,
      },
    ],
  },
  {
    id: 'huggingface',
    page: 'https://huggingface.co/docs/hub/rate-limits',
    success: { ratelimit: '"api";r=999;t=295', 'ratelimit-policy': '"fixed window";"api";q=1000;w=300' },
    remaining: { requests: 999, resetAt: UNIX + 295_000 },
    refusals: [{ headers: { ratelimit: '"api";r=0;t=55' }, wait: 55_000 }],
  },
  {
    id: 'replicate',
    page: 'https://replicate.com/docs/topics/predictions/rate-limits',
    success: { 'ratelimit-remaining': '599', 'ratelimit-reset': '1' },
    remaining: { requests: 599, resetAt: UNIX + 1_000 },
    refusals: [
      { headers: { 'ratelimit-remaining': '0', 'ratelimit-reset': '9' }, body: { detail: 'Throttled.' }, wait: 9_000 },
      { body: { detail: 'Request was throttled. Your rate limit resets in ~30s.' }, wait: 30_000 },
    ],
  },
  {
    id: 'cohere',
    page: 'https://docs.cohere.com/docs/rate-limits',
    success: {
      'x-trial-endpoint-call-limit': '20',
      'x-trial-endpoint-call-remaining': '19',
      'x-endpoint-monthly-call-limit': '1000',
    },
    remaining: { requests: 19 },
    refusals: [{ body: { message: 'You are using a Trial key, which is limited to 20 API calls / minute.' } }],
  },
  {
    id: 'sambanova',
    page: 'https://docs.sambanova.ai/docs/en/models/rate-limits',
    success: {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-remaining-requests-day': '1497',
    },
    remaining: { requests: 59 },
    refusals: [
      { headers: { 'x-ratelimit-remaining-requests': '0' }, wait: 60_000 },
      { headers: { 'x-ratelimit-remaining-requests-day': '0' }, wait: HOUR / 2, isDay: true },
    ],
  },
  {
    id: 'github-models',
    page: 'https://docs.github.com/en/github-models/use-github-models/prototyping-with-ai-models#rate-limits',
    success: { 'x-ratelimit-remaining-requests': '14', 'x-ratelimit-remaining-tokens': '149000' },
    remaining: { requests: 14, tokens: 149_000 },
    refusals: [
      {
        headers: { 'retry-after': '68400', 'x-ratelimit-type': 'UserByModelByDay' },
        body: error('Rate limit of 50 per 86400s exceeded for UserByModelByDay.', { code: 'RateLimitReached' }),
        wait: 19 * HOUR,
        isDay: true,
      },
      {
        body: error('Rate limit of 50 per 86400s exceeded. Please wait 52220 seconds before retrying.'),
        wait: 52_220_000,
        isDay: true,
      },
    ],
  },
  {
    id: 'moonshot',
    page: 'https://platform.kimi.ai/docs/pricing/limits',
    refusals: [
      {
        headers: { 'msh-cooldown-seconds': '8' },
        body: error('Your account reached max request per minute.', { type: 'rate_limit_reached_error' }),
        wait: 8_000,
      },
      { body: error('Check your plan.', { type: 'exceeded_current_quota_error' }), kind: 'our-quota' },
    ],
  },
  { id: 'deepseek', page: 'https://api-docs.deepseek.com/quick_start/error_codes', refusals: [{}] },
  { id: 'vllm', page: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html', refusals: [{}] },
  { id: 'ollama', page: 'https://docs.ollama.com/api/errors', refusals: [{ status: 503, kind: 'overloaded' }] },
  {
    id: 'llamacpp',
    page: 'https://github.com/ggml-org/llama.cpp/tree/master/tools/server',
    refusals: [{ status: 503, kind: 'overloaded' }],
  },
]

const EXPORTS: Readonly<Record<string, string>> = {
  'openai-compatible': 'openaiCompatible',
  'github-models': 'githubModels',
}

async function providerOf({ id, config }: Fixture): Promise<ProviderInstance> {
  const adapter = (await import(`../../../providers/${id}/src/index.ts`))[EXPORTS[id] ?? id]
  return adapter({ apiKey: 'k', ...config })
}

/** Format of the vendor's chat, else chat completions. */
function formatOf({ chat }: ProviderInstance): Pick<Codec, 'readError'> {
  const [support] = chat ?? []
  const format = support && 'format' in support ? support.format : 'chat-completions'
  const found = typeof format === 'string' ? formats.get(format) : format
  if (!found) throw new Error('The format is unknown.')
  return found
}

describe.each(FIXTURES.map((fixture) => [fixture.name ?? fixture.id, fixture] as const))('%s', (_, fixture) => {
  const { page, success, remaining, refusals } = fixture

  it.each(refusals.map((refusal, index) => [index + 1, refusal] as const))(
    `waits as long as refusal %i states (${page})`,
    async (_index, { status = 429, headers = {}, body = error('Slow down.'), kind = 'rate-limited', wait, isDay }) => {
      vi.spyOn(Date, 'now').mockReturnValue(UNIX)
      const provider = await providerOf(fixture)
      const failure = failureOf({ status, headers, body, bytes: new Uint8Array() }, formatOf(provider), provider)
      expect(failure?.kind).toBe(kind)
      if (wait === undefined) expect(failure?.retryAfterMs).toBeUndefined()
      else expect(Math.abs((failure?.retryAfterMs ?? Number.NaN) - wait)).toBeLessThanOrEqual(1_000)
      if (isDay) expect(failure?.retryAfterMs).toBeGreaterThanOrEqual(HOUR / 2)
    },
  )

  it(`does not wait after a success with \`retry-after\` (${page})`, async () => {
    vi.spyOn(Date, 'now').mockReturnValue(UNIX)
    const provider = await providerOf(fixture)
    const limits = createUpstreamLimits()
    for (const wait of ['1', '61', '68400']) {
      const headers = { ...success, 'retry-after': wait, 'retry-after-ms': wait }
      const answer = { status: 200, headers, body: { choices: [] }, bytes: new Uint8Array() }
      expect(failureOf(answer, formatOf(provider), provider)).toBeUndefined()
      limits.note('target', provider.limitHeaders ?? [], headers, NOW)
      expect(limits.shortUntil('target', 1_000, NOW)).toBeUndefined()
      expect(limits.state('target', NOW)).toEqual(remaining)
    }
  })
})
