import type { FieldNames } from '../../chat/field-names.ts'

/** Where this format has what losses call by Headgate's words. */
export const fieldNames: FieldNames = {
  arguments: ['function.arguments', 'custom.input'],
  cache_control: ['prompt_cache_breakpoint'],
  description: ['json_schema.description'],
  detail: ['image_url.detail'],
  format: ['custom.format'],
  media_type: ['file.file_data', 'image_url.url'],
  name: ['function.name', 'custom.name', 'file.filename'],
  parameters: ['function.parameters'],
  signature: ['extra_content.google.thought_signature', 'extra_content'],
  strict: ['function.strict', 'json_schema.strict'],
}
