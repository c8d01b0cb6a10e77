/**
 * Fields of chat completions that serving endpoints do not accept.
 *
 * @see https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/api-reference
 */
export const NOT_ACCEPTED = [
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'seed',
  'user',
  'store',
  'metadata',
  'service_tier',
  'verbosity',
  'parallel_tool_calls',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
]
