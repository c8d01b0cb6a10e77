import type { FieldNames } from '../../canonical/field-names.ts'

/** Fields of this format by Headgate's names in losses. */
export const fieldNames: FieldNames = {
  audioInput: ['prompt_tokens_details.audio_tokens'],
  audioOutput: ['completion_tokens_details.audio_tokens'],
  arguments: ['function.arguments', 'custom.input'],
  cacheRead: [
    'prompt_tokens_details.cached_tokens',
    'cached_tokens',
    'prompt_cache_hit_tokens',
    'cache_read_input_tokens',
  ],
  cacheWrite: ['prompt_tokens_details.cache_write_tokens', 'cache_creation_input_tokens'],
  cache_control: ['prompt_cache_breakpoint'],
  citations: ['../annotations', '../../annotations'],
  description: ['json_schema.description'],
  detail: ['image_url.detail'],
  format: ['custom.format'],
  imageInput: ['prompt_tokens_details.image_tokens'],
  imageOutput: ['completion_tokens_details.image_tokens'],
  input: ['prompt_tokens', 'input_tokens'],
  media_type: ['file.file_data', 'image_url.url'],
  name: ['function.name', 'custom.name', 'file.filename'],
  output: ['completion_tokens', 'output_tokens'],
  parameters: ['function.parameters'],
  reasoning: ['completion_tokens_details.reasoning_tokens'],
  signature: ['extra_content.google.thought_signature', 'extra_content'],
  strict: ['function.strict', 'json_schema.strict'],
}
