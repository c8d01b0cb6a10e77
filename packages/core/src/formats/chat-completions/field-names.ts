import type { FieldNames } from '../../chat/field-names.ts'

/** Where this format has what losses call by Headgate's words. */
export const fieldNames: FieldNames = {
  audioInput: ['prompt_tokens_details.audio_tokens'],
  audioOutput: ['completion_tokens_details.audio_tokens'],
  arguments: ['function.arguments', 'custom.input'],
  cacheWrite: ['prompt_tokens_details.cache_write_tokens', 'cache_creation_input_tokens'],
  cache_control: ['prompt_cache_breakpoint'],
  citations: ['../annotations', '../../annotations'],
  description: ['json_schema.description'],
  detail: ['image_url.detail'],
  format: ['custom.format'],
  media_type: ['file.file_data', 'image_url.url'],
  name: ['function.name', 'custom.name', 'file.filename'],
  parameters: ['function.parameters'],
  signature: ['extra_content.google.thought_signature', 'extra_content'],
  strict: ['function.strict', 'json_schema.strict'],
}
