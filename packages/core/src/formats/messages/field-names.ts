import type { FieldNames } from '../../canonical/field-names.ts'

/** Where this format has what losses call by Headgate's words. */
export const fieldNames: FieldNames = {
  arguments: ['input'],
  cacheRead: ['cache_read_input_tokens'],
  cacheWrite: ['cache_creation_input_tokens'],
  cacheWriteLong: ['cache_creation.ephemeral_1h_input_tokens'],
  input: ['input_tokens'],
  media_type: ['source.media_type', 'source'],
  name: ['title'],
  output: ['output_tokens'],
  parameters: ['input_schema'],
  searches: ['server_tool_use.web_search_requests'],
  show: ['display'],
}
