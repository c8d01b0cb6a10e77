import type { Board } from './board.ts'

const RATE = '[$__rate_interval]'
const FAILED = `sum(rate(headgate_failures_total{$S,fault=~"gateway|provider"}${RATE}))`
const ALL = `sum(rate(headgate_requests_total{$S}${RATE}))`

/** Percentile of a histogram. */
function percentile(part: number, name: string, labels = '$S', by = ''): string {
  const group = by === '' ? 'le' : `le, ${by}`
  return `histogram_quantile(${part}, sum by (${group}) (rate(${name}_bucket{${labels}}${RATE})))`
}

/** Three percentiles of a histogram. */
function percentiles(name: string, labels = '$S') {
  return [0.5, 0.95, 0.99].map((part) => [percentile(part, name, labels), `p${part * 100}`] as const)
}

const OVERVIEW: Board = {
  uid: 'headgate-overview',
  title: 'Headgate: overview',
  rows: [
    {
      title: 'Now',
      panels: [
        { title: 'Requests per second', type: 'stat', unit: 'reqps', width: 4, queries: [[ALL, '']] },
        {
          title: 'Failed requests',
          about: 'Failures of the gateway or of a provider.',
          type: 'stat',
          unit: 'percentunit',
          width: 4,
          queries: [[`(${FAILED} or vector(0)) / ${ALL}`, '']],
        },
        {
          title: 'Cost per hour',
          type: 'stat',
          unit: 'currencyUSD',
          width: 4,
          queries: [['sum(increase(headgate_cost_dollars_total{$S}[1h]))', '']],
        },
        {
          title: 'Open requests',
          type: 'stat',
          width: 4,
          queries: [['sum(headgate_requests_in_flight{$S})', '']],
        },
        { title: 'Gateways', type: 'stat', width: 4, queries: [['count(headgate_build_info{$S})', '']] },
        {
          title: 'Versions',
          type: 'table',
          width: 4,
          queries: [['count by (version) (headgate_build_info{$S})', '']],
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          title: 'Requests by status',
          unit: 'reqps',
          queries: [[`sum by (status) (rate(headgate_requests_total{$S}${RATE}))`, '{{status}}']],
        },
        {
          title: 'Failures by fault and kind',
          about: 'A failure of a provider is an outage there; `internal` is an error of the gateway.',
          unit: 'reqps',
          queries: [[`sum by (fault, kind) (rate(headgate_failures_total{$S}${RATE}))`, '{{fault}}: {{kind}}']],
        },
        {
          title: 'Duration',
          unit: 's',
          exemplars: true,
          queries: percentiles('headgate_request_duration_seconds'),
        },
        {
          title: 'Requests by model',
          unit: 'reqps',
          queries: [[`topk(10, sum by (model) (rate(headgate_requests_total{$S}${RATE})))`, '{{model}}']],
        },
        {
          title: 'Requests by format',
          unit: 'reqps',
          queries: [[`sum by (family, format) (rate(headgate_requests_total{$S}${RATE}))`, '{{family}}: {{format}}']],
        },
        {
          title: 'Open and waiting requests',
          queries: [
            ['sum(headgate_requests_in_flight{$S})', 'open'],
            ['sum by (class) (headgate_waiting_requests{$S})', 'waiting: {{class}}'],
          ],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'Processor',
          unit: 'percentunit',
          queries: [[`rate(process_cpu_seconds_total{$S}${RATE})`, '{{instance}}']],
        },
        { title: 'Memory', unit: 'bytes', queries: [['process_resident_memory_bytes{$S}', '{{instance}}']] },
        {
          title: 'Delay of the event loop, p99',
          unit: 's',
          queries: [['nodejs_eventloop_lag_p99_seconds{$S}', '{{instance}}']],
        },
      ],
    },
  ],
}

const P = '$S,provider=~"$provider"'
const PROVIDERS: Board = {
  uid: 'headgate-providers',
  title: 'Headgate: providers and endpoints',
  hasProviders: true,
  rows: [
    {
      title: 'Calls',
      panels: [
        {
          title: 'Calls by provider',
          unit: 'reqps',
          queries: [[`sum by (provider) (rate(headgate_attempts_total{${P}}${RATE}))`, '{{provider}}']],
        },
        {
          title: 'Failed calls by kind',
          unit: 'reqps',
          queries: [
            [
              `sum by (provider, failure) (rate(headgate_attempts_total{${P},failure!="none"}${RATE}))`,
              '{{provider}}: {{failure}}',
            ],
          ],
        },
        {
          title: 'Part of failed calls',
          unit: 'percentunit',
          queries: [
            [
              `sum by (provider) (rate(headgate_attempts_total{${P},failure!="none"}${RATE})) / sum by (provider) (rate(headgate_attempts_total{${P}}${RATE}))`,
              '{{provider}}',
            ],
          ],
        },
      ],
    },
    {
      title: 'Model calls',
      panels: [
        {
          title: 'Duration of calls by model, p95',
          unit: 's',
          exemplars: true,
          queries: [
            [
              percentile(0.95, 'gen_ai_client_operation_duration_seconds', '$S', 'gen_ai_request_model'),
              '{{gen_ai_request_model}}',
            ],
          ],
        },
        {
          title: 'Time to the first chunk by model, p95',
          unit: 's',
          queries: [
            [
              percentile(0.95, 'gen_ai_client_operation_time_to_first_chunk_seconds', '$S', 'gen_ai_request_model'),
              '{{gen_ai_request_model}}',
            ],
          ],
        },
        {
          title: 'Errors of calls by type',
          unit: 'reqps',
          queries: [
            [
              `sum by (gen_ai_provider_name, error_type) (rate(gen_ai_client_operation_duration_seconds_count{$S,error_type!=""}${RATE}))`,
              '{{gen_ai_provider_name}}: {{error_type}}',
            ],
          ],
        },
      ],
    },
    {
      title: 'Endpoints',
      panels: [
        {
          title: 'Open calls',
          queries: [[`sum by (provider, endpoint) (headgate_endpoint_in_flight{${P}})`, '{{provider}} {{endpoint}}']],
        },
        {
          title: 'Resting endpoints and models',
          queries: [
            [
              `max by (provider, endpoint, model) (headgate_endpoint_resting{${P}})`,
              '{{provider}} {{endpoint}} {{model}}',
            ],
          ],
        },
        {
          title: 'Rest of upstream limits',
          about: 'As the upstream reported it last.',
          queries: [
            [
              `min by (provider, endpoint, model, unit) (headgate_endpoint_limit_remaining{${P}}) or vector(0)`,
              '{{provider}} {{endpoint}} {{model}}: {{unit}}',
            ],
          ],
        },
      ],
    },
  ],
}

const MONEY: Board = {
  uid: 'headgate-money',
  title: 'Headgate: tokens, money and cache',
  rows: [
    {
      title: 'Money',
      panels: [
        {
          title: 'Cost per hour by model',
          unit: 'currencyUSD',
          queries: [[`topk(10, sum by (model) (rate(headgate_cost_dollars_total{$S}${RATE})) * 3600)`, '{{model}}']],
        },
        {
          title: 'Cost per hour by provider',
          unit: 'currencyUSD',
          queries: [[`sum by (provider) (rate(headgate_cost_dollars_total{$S}${RATE})) * 3600`, '{{provider}}']],
        },
        {
          title: 'Cost of the last day by model',
          type: 'bargauge',
          unit: 'currencyUSD',
          queries: [['topk(10, sum by (model) (increase(headgate_cost_dollars_total{$S}[1d])))', '{{model}}']],
        },
      ],
    },
    {
      title: 'Tokens',
      panels: [
        {
          title: 'Tokens per minute by kind',
          queries: [[`sum by (kind) (rate(headgate_tokens_total{$S}${RATE})) * 60`, '{{kind}}']],
        },
        {
          title: 'Output tokens per minute by model',
          queries: [
            [`topk(10, sum by (model) (rate(headgate_tokens_total{$S,kind="output"}${RATE})) * 60)`, '{{model}}'],
          ],
        },
        {
          title: 'Tokens of a call, p95',
          queries: [
            [percentile(0.95, 'gen_ai_client_token_usage', '$S', 'gen_ai_token_type'), '{{gen_ai_token_type}}'],
          ],
        },
      ],
    },
    {
      title: 'Cache',
      panels: [
        {
          title: 'Part of input that was read from a cache',
          unit: 'percentunit',
          width: 12,
          queries: [
            [
              `sum by (model) (rate(headgate_tokens_total{$S,kind="cache_read"}${RATE})) / sum by (model) (rate(headgate_tokens_total{$S,kind="input"}${RATE}))`,
              '{{model}}',
            ],
          ],
        },
        {
          title: 'Units other than tokens per minute',
          width: 12,
          queries: [[`sum by (unit) (rate(headgate_units_total{$S}${RATE})) * 60 or vector(0)`, '{{unit}}']],
        },
      ],
    },
  ],
}

const LATENCY: Board = {
  uid: 'headgate-latency',
  title: 'Headgate: latency and overhead',
  rows: [
    {
      title: 'Requests',
      panels: [
        {
          title: 'Time to the first byte',
          unit: 's',
          exemplars: true,
          queries: percentiles('headgate_first_byte_seconds'),
        },
        {
          title: 'Duration',
          unit: 's',
          exemplars: true,
          queries: percentiles('headgate_request_duration_seconds'),
        },
        {
          title: 'Time per output token',
          unit: 's',
          queries: percentiles('headgate_time_per_output_token_seconds'),
        },
      ],
    },
    {
      title: 'Overhead of the gateway',
      panels: [
        {
          title: 'Before the call',
          about: 'From the arrival of a request to the start of its first call. It includes waiting for the body.',
          unit: 's',
          exemplars: true,
          queries: percentiles('headgate_overhead_seconds', '$S,part="in"'),
        },
        {
          title: 'After the call',
          about: 'From the bytes of the upstream to the first byte for the caller.',
          unit: 's',
          exemplars: true,
          queries: percentiles('headgate_overhead_seconds', '$S,part="out"'),
        },
        {
          title: 'Time between chunks',
          unit: 's',
          queries: percentiles('gen_ai_client_operation_time_per_output_chunk_seconds'),
        },
      ],
    },
  ],
}

const LIMITS: Board = {
  uid: 'headgate-limits',
  title: 'Headgate: limits and budgets',
  rows: [
    {
      title: 'Budgets',
      panels: [
        {
          title: 'Used part of budgets',
          unit: 'percentunit',
          queries: [
            [
              'topk(20, max by (budget, scope) (headgate_budget_used_dollars{$S}) / max by (budget, scope) (headgate_budget_limit_dollars{$S} > 0))',
              '{{scope}}: {{budget}}',
            ],
          ],
        },
        {
          title: 'Held for unknown costs',
          unit: 'currencyUSD',
          queries: [['topk(20, max by (budget, scope) (headgate_budget_held_dollars{$S}))', '{{scope}}: {{budget}}']],
        },
        {
          title: 'Refused by budgets',
          unit: 'reqps',
          queries: [[`sum by (scope, why) (rate(headgate_budget_refusals_total{$S}${RATE}))`, '{{scope}}: {{why}}']],
        },
      ],
    },
    {
      title: 'Limits',
      panels: [
        {
          title: 'Refused by rate limits',
          unit: 'reqps',
          queries: [[`sum by (scope, unit) (rate(headgate_rate_refusals_total{$S}${RATE}))`, '{{scope}}: {{unit}}']],
        },
        {
          title: 'Refused because of load',
          unit: 'reqps',
          queries: [
            [`sum by (reason, class) (rate(headgate_shed_total{$S}${RATE})) or vector(0)`, '{{reason}}: {{class}}'],
          ],
        },
        {
          title: 'Waiting requests',
          queries: [['sum by (class) (headgate_waiting_requests{$S})', '{{class}}']],
        },
      ],
    },
  ],
}

const STORES: Board = {
  uid: 'headgate-stores',
  title: 'Headgate: stores and exports',
  rows: [
    {
      title: 'Usage rows',
      panels: [
        { title: 'Store is writable', queries: [['headgate_store_writable{$S}', '{{instance}}']] },
        { title: 'Waiting rows', queries: [['headgate_usage_rows_waiting{$S}', '{{instance}}']] },
        {
          title: 'Quarantined and lost rows',
          queries: [
            ['sum(increase(headgate_usage_rows_quarantined_total{$S}[1h]))', 'quarantined'],
            ['sum(increase(headgate_usage_rows_lost_total{$S}[1h]))', 'lost'],
          ],
        },
      ],
    },
    {
      title: 'Exports',
      panels: [
        {
          title: 'Spans per second',
          queries: [
            [`sum(rate(headgate_spans_sent_total{$S}${RATE})) or vector(0)`, 'sent'],
            [`sum(rate(headgate_spans_dropped_total{$S}${RATE})) or vector(0)`, 'dropped'],
          ],
        },
        {
          title: 'Delay of sinks',
          unit: 's',
          queries: [['max by (sink) (headgate_sink_lag_seconds{$S}) or vector(0)', '{{sink}}']],
        },
        {
          title: 'Values beyond the limit of series',
          queries: [[`sum(rate(headgate_series_folded_total{$S}${RATE}))`, 'folded']],
        },
        {
          title: 'Shared rate limits',
          about: '1 while all nodes count together. Absent without a shared store.',
          queries: [['headgate_rates_shared{$S} or vector(1)', '{{instance}}']],
        },
        {
          title: 'Calls of Redis',
          unit: 'reqps',
          queries: [[`sum by (result) (rate(headgate_redis_calls_total{$S}${RATE})) or vector(0)`, '{{result}}']],
        },
      ],
    },
  ],
}

/** Dashboards in `deploy/grafana`. */
export const BOARDS: readonly Board[] = [OVERVIEW, PROVIDERS, MONEY, LATENCY, LIMITS, STORES]
