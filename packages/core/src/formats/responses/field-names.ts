import type { FieldNames } from '../../canonical/field-names.ts'

/** Fields of this format by Headgate's names in losses. */
export const fieldNames: FieldNames = {
  allowed_domains: ['filters.allowed_domains'],
  arguments: ['input', 'action'],
  blocked_domains: ['filters.excluded_domains', 'filters.blocked_domains'],
  cacheRead: ['input_tokens_details.cached_tokens'],
  cacheWrite: ['input_tokens_details.cache_write_tokens'],
  cache_control: ['prompt_cache_breakpoint'],
  citations: ['annotations'],
  description: ['format.description'],
  input: ['input_tokens', 'prompt_tokens'],
  media_type: ['file_data', 'image_url'],
  message: ['../../'],
  messages: ['input'],
  name: ['filename'],
  namespace: ['../../'],
  output: ['output_tokens', 'completion_tokens'],
  reasoning: ['output_tokens_details.reasoning_tokens'],
  searches: ['../tool_usage.web_search.num_requests'],
  show: ['summary', 'generate_summary'],
  signature: ['encrypted_content'],
}
