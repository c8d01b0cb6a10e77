import type { FieldNames } from '../../canonical/field-names.ts'

/** Fields of this format by Headgate's names in losses. */
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
