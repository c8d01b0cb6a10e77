/**
 * Statements that create the table and its sums by hour, unless they exist. A repeated row replaces itself when parts
 * are merged; `FINAL` shows each row once before. The sums are computed from the table every hour instead of from
 * inserts, since a view of inserts would count repeated rows twice.
 */
export function createTables(table: string): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (
  id UUID,
  time DateTime64(3, 'UTC'),
  request_id String,
  key LowCardinality(String),
  key_name LowCardinality(Nullable(String)),
  project LowCardinality(Nullable(String)),
  project_name LowCardinality(Nullable(String)),
  environment LowCardinality(Nullable(String)),
  member LowCardinality(Nullable(String)),
  member_name LowCardinality(Nullable(String)),
  family LowCardinality(String),
  format LowCardinality(String),
  model LowCardinality(String),
  provider LowCardinality(String),
  endpoint LowCardinality(Nullable(String)),
  provider_model LowCardinality(String),
  policy LowCardinality(Nullable(String)),
  routing Nullable(String),
  status UInt16,
  outcome LowCardinality(String),
  why LowCardinality(String),
  failure LowCardinality(Nullable(String)),
  finish LowCardinality(Nullable(String)),
  stream Bool,
  translated Bool,
  input Nullable(UInt64),
  output Nullable(UInt64),
  cache_read Nullable(UInt64),
  cache_write Nullable(UInt64),
  cache_write_long Nullable(UInt64),
  reasoning Nullable(UInt64),
  audio_input Nullable(UInt64),
  audio_output Nullable(UInt64),
  image_input Nullable(UInt64),
  image_output Nullable(UInt64),
  variant Nullable(String),
  units Nullable(String),
  estimated Bool,
  cost Nullable(Int64),
  charged Nullable(Int64),
  held Nullable(Int64),
  price_id LowCardinality(Nullable(String)),
  billed Bool,
  losses String,
  tags Nullable(String),
  end_user Nullable(String),
  session Nullable(String),
  first_byte_ms Nullable(UInt32),
  duration_ms UInt32,
  trace_id Nullable(String),
  corrects Nullable(UUID)
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (time, id)
SETTINGS non_replicated_deduplication_window = 1000`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${table}_hours
REFRESH EVERY 1 HOUR
ENGINE = MergeTree ORDER BY (hour, project, model) AS
SELECT
  toStartOfHour(time) AS hour,
  ifNull(project, '') AS project,
  model,
  countIf(isNull(corrects)) AS requests,
  countIf(isNull(cost)) AS unknown_costs,
  sum(cost) AS cost_nanodollars,
  sum(charged) AS charged_nanodollars,
  sum(input) AS input_tokens,
  sum(output) AS output_tokens,
  sum(cache_read) AS cache_read_tokens
FROM ${table} FINAL
GROUP BY hour, project, model`,
  ]
}
